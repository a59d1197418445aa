// A program that defines clock_gettime itself: every library in the process then reads its clock.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "wall_clock.h"

namespace {

std::atomic<std::int64_t> g_step_ns{0};

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME) return static_cast<int>(result);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t now =
      time->tv_sec * kSecond + time->tv_nsec + g_step_ns.load(std::memory_order_relaxed);
  time->tv_sec = now / kSecond;
  time->tv_nsec = now % kSecond;
  return 0;
}

namespace fake_driver {

bool step_wall_clock(std::int64_t step_ns) {
  g_step_ns.fetch_add(step_ns);
  return true;
}

}  // namespace fake_driver
