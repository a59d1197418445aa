#include "runtime/wake.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace gapscope {
namespace {

long futex(std::atomic<std::uint32_t>* word, int op, std::uint32_t value, const timespec* timeout) {
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
  return syscall(SYS_futex, word, op, value, timeout, nullptr, 0);
}

}  // namespace

void Wake::sleep(std::uint64_t timeout_ns, bool deep) noexcept {
  std::uint32_t expected = kAwake;
  const std::uint32_t state = deep ? kDeep : kNap;
  // acquire: what was written before wake() is seen after sleep().
  if (state_.compare_exchange_strong(expected, state, std::memory_order_acq_rel)) {
    timespec t{static_cast<time_t>(timeout_ns / 1'000'000'000u),
               static_cast<long>(timeout_ns % 1'000'000'000u)};
    futex(&state_, FUTEX_WAIT_PRIVATE, state, timeout_ns == kForever ? nullptr : &t);
  }
  state_.exchange(kAwake, std::memory_order_acq_rel);
}

void Wake::wake() noexcept {
  // release: see sleep().
  if (state_.exchange(kWoken, std::memory_order_acq_rel) >= kNap) {
    futex(&state_, FUTEX_WAKE_PRIVATE, 1, nullptr);
  }
}

}  // namespace gapscope
