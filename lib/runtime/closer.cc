#include "runtime/closer.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "runtime/clock.h"
#include "runtime/files.h"
#include "runtime/ready_to_throw.h"
#include "runtime/thread.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kEndNs = 5000 * kMs;

}  // namespace

bool Closer::start() {
  pthread_t thread;
  if (!start_thread(&thread, &Closer::thread_main, this, "gapscope-end")) return false;
  pthread_detach(thread);  // nobody waits for it but by ended_
  return true;
}

void* Closer::thread_main(void* self) {
  auto* closer = static_cast<Closer*>(self);
  if (ready_to_throw()) {
    try {
      closer->run();
    } catch (...) {
      complain("no report: out of memory at the end");
    }
  }
  closer->ended_.store(true, std::memory_order_release);
  return nullptr;
}

void Closer::run() {
  while (!asked_.load(std::memory_order_acquire)) wake_.sleep(Wake::kForever, false);
  // Not running: somebody else ends it just now (exit() on another thread), or has.
  if (!session_.stop(exit_status_, exit_known_)) session_.wait_until_ended(kEndNs);
}

void Closer::end(int exit_status, bool exit_known) noexcept {
  const int error = errno;
  if (!claimed_.exchange(true, std::memory_order_acq_rel)) {
    exit_status_ = exit_status;
    exit_known_ = exit_known;
    asked_.store(true, std::memory_order_release);
    wake_.wake();
  }
  const std::uint64_t deadline = monotonic_ns() + session_.config().exit_wait_ms * kMs + kEndNs;
  while (!ended_.load(std::memory_order_acquire) && monotonic_ns() < deadline) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  errno = error;
}

}  // namespace gapscope
