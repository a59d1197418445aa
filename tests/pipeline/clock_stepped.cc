// A program that defines clock_gettime itself: every library in the process then reads its clock.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "wall_clock.h"

namespace {

std::atomic<std::int64_t> g_step_ns{0};
std::atomic<const char*> g_held_name{nullptr};
std::atomic<int> g_held{0};

void stand_still() {
  const char* held = g_held_name.load(std::memory_order_acquire);
  if (held == nullptr) return;
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  if (std::strcmp(name, held) != 0) return;
  g_held.fetch_add(1);
  while (g_held_name.load(std::memory_order_acquire) != nullptr) {
    const timespec pause{0, 1'000'000};
    syscall(SYS_nanosleep, &pause, nullptr);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  stand_still();
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

bool hold_up_thread(const char* name) {
  g_held_name.store(name, std::memory_order_release);
  return true;
}

int threads_held_up() { return g_held.load(); }

}  // namespace fake_driver
