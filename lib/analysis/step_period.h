// Whether slow steps come at a fixed distance: every n-th one (garbage collection's signature).
//
// Looks at the last kHistory steps. A step is slow when it takes more than kSlowRatio times their
// median. The period is the smallest n from 2 to kMaxPeriod for which, at one offset, kMinHits or
// more slow steps follow each other at distance n such that at least kShare of all slow steps are
// among them and at least kShare of the steps at those places are slow.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <vector>

namespace gapscope {

class StepPeriod {
 public:
  static constexpr std::size_t kHistory = 1024;
  static constexpr std::size_t kMaxPeriod = kHistory / 4;
  static constexpr double kSlowRatio = 1.5;
  static constexpr std::size_t kMinHits = 4;
  static constexpr double kShare = 0.8;

  void add(std::int64_t duration_ns);
  std::int64_t period() const;  // 0: none

 private:
  std::vector<bool> slow_steps() const;

  std::vector<std::int64_t> ring_;
  std::size_t next_ = 0;  // the oldest, once the ring is full
};

}  // namespace gapscope
