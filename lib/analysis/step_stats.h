// What made steps slow: the worst step's cause, and whether slow steps come at a fixed distance.
//
// Bounded: kMaxCauses histograms and kHistory durations.
// Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/histogram.h"
#include "analysis/step_period.h"

namespace gapscope {

class StepStats {
 public:
  static constexpr std::size_t kMaxCauses = 32;
  static constexpr std::size_t kNotIdle = kMaxCauses;  // Worst::cause: the device worked longer
  static constexpr std::size_t kNone = kMaxCauses + 1;
  // A cause is named when it explains at least this share of what the worst step took above the
  // median step.
  static constexpr double kNamedShare = 0.25;

  // A step, in order; idle_by_cause: the device's idle time in it by cause, the same order of
  // causes for every step (at most kMaxCauses count).
  void step(std::int64_t begin_ns, std::int64_t end_ns,
            absl::Span<const std::int64_t> idle_by_cause);

  // What came so far was warm-up: it no longer counts, save for the numbers of the steps.
  void restart();

  struct Worst {
    std::int64_t index = 0;  // of the step, from 0, steps before restart() included
    std::int64_t duration_ns = 0;
    std::int64_t above_median_ns = 0;  // the step, not the cause
    std::size_t cause = kNone;         // index into idle_by_cause, kNotIdle or kNone
    std::int64_t cause_above_median_ns = 0;
  };
  Worst worst() const;
  // Every n-th step is slow (more than kSlowRatio times the median); 0: no such n.
  std::int64_t slow_period() const { return period_.period(); }

  std::int64_t count() const { return durations_->count(); }
  std::int64_t median_ns() const { return durations_->percentile_ns(0.5); }
  std::int64_t median_idle_ns(std::size_t cause) const;

 private:
  std::int64_t index_ = 0;
  std::optional<Histogram> durations_{std::in_place};
  std::vector<Histogram> idle_;  // by cause; steps before its first sight count as 0
  StepPeriod period_;
  std::int64_t worst_index_ = 0;
  std::int64_t worst_ns_ = -1;
  std::array<std::int64_t, kMaxCauses> worst_idle_ns_{};
};

}  // namespace gapscope
