// The clocks. CUPTI stamps device records in CLOCK_REALTIME, so host records use it too (a vDSO
// read, no system call).
#pragma once

#include <time.h>

#include <cstdint>

namespace gapscope {

inline std::uint64_t clock_ns(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// The time of records.
inline std::uint64_t now_ns() noexcept { return clock_ns(CLOCK_REALTIME); }
// For time-outs: never stepped.
inline std::uint64_t monotonic_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

// Notices steps of CLOCK_REALTIME against CLOCK_MONOTONIC. One thread only.
class ClockWatch {
 public:
  // The step in nanoseconds since the last call, 0 when below the threshold: slewing by NTP
  // (500 ppm) between two calls a second apart stays well under it.
  std::int64_t step_ns() noexcept {
    const auto offset = static_cast<std::int64_t>(now_ns() - monotonic_ns());
    const std::int64_t change = started_ ? offset - offset_ns_ : 0;
    offset_ns_ = offset;
    started_ = true;
    return change > kThresholdNs || change < -kThresholdNs ? change : 0;
  }

 private:
  static constexpr std::int64_t kThresholdNs = 10'000'000;
  std::int64_t offset_ns_ = 0;
  bool started_ = false;
};

}  // namespace gapscope
