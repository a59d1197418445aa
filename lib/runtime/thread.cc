#include "runtime/thread.h"

#include <signal.h>
#include <time.h>

#include <cstddef>

#include "runtime/clock.h"

namespace gapscope {
namespace {

// CUPTI's flush runs on one of these threads and needs a usual stack.
constexpr std::size_t kStackBytes = 1u << 20;

}  // namespace

bool start_thread(pthread_t* thread, void* (*entry)(void*), void* argument,
                  const char* name) noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = pthread_create(thread, &attributes, entry, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return false;
  pthread_setname_np(*thread, name);
  return true;
}

bool join_thread(pthread_t thread, const std::atomic<bool>& ended,
                 std::uint64_t timeout_ns) noexcept {
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (!ended.load(std::memory_order_acquire)) {
    if (monotonic_ns() > deadline) {
      pthread_detach(thread);
      return false;
    }
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
  }
  pthread_join(thread, nullptr);
  return true;
}

}  // namespace gapscope
