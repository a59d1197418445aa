// Which of a device's idle time lies in which step, so that a slow step can be told its cause.
//
// A gap is final only when it has ended, which may be after the step's own end: a step waits here
// until an idle stretch begins after it. Bounded: kMaxWaiting steps; then the oldest is taken as it
// is. Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "analysis/cause.h"
#include "analysis/cause_slice.h"
#include "analysis/step_stats.h"

namespace gapscope {

class StepIdle {
 public:
  static constexpr std::size_t kMaxWaiting = 64;
  static_assert(static_cast<std::size_t>(kCauses) <= StepStats::kMaxCauses);

  // In order of time: what lay before is a step if it counts, and the next one begins.
  void mark(std::int64_t time_ns, bool counts);
  // All steps so far were warm-up.
  void restart();
  // An idle stretch, in order of begin. One that crosses a mark is shared in proportion to time.
  void idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& slices);

  void clear();

  // As if all had settled.
  StepStats stats() const;
  std::size_t held() const { return waiting_.size(); }

 private:
  struct Step {
    std::int64_t begin_ns, end_ns;
    bool counts;
    std::array<std::int64_t, kCauses> idle_ns{};
  };
  static void settle(const Step& step, StepStats& stats);
  void settle_first();

  std::optional<StepStats> stats_{std::in_place};
  std::deque<Step> waiting_;  // the last one is still open
};

}  // namespace gapscope
