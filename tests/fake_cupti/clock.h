// The fake's clocks. Through clock_gettime, so that a test program that interposes it steps both
// sides alike.
#pragma once

#include <cstdint>
#include <ctime>

namespace fake_cupti {

inline std::uint64_t clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}
// What CUPTI stamps in. May be stepped.
inline std::uint64_t wall_ns() { return clock_ns(CLOCK_REALTIME); }
// What decides when an operation has completed.
inline std::uint64_t steady_ns() { return clock_ns(CLOCK_MONOTONIC); }

inline void sleep_ns(std::uint64_t ns) {
  timespec t{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
  while (nanosleep(&t, &t) != 0) {
  }
}

}  // namespace fake_cupti
