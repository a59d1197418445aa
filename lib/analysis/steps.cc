#include "analysis/steps.h"

#include <algorithm>

namespace gapscope {

bool StepTracker::stable() const {
  if (waited_ < kStableSteps) return false;
  const auto [shortest, longest] = std::minmax_element(last_ns_, last_ns_ + kStableSteps);
  return static_cast<double>(*longest) <= kStableRatio * static_cast<double>(*shortest);
}

StepTracker::Change StepTracker::completed(std::int64_t duration_ns, std::int64_t end_ns) {
  const std::int64_t step = steps_++;
  worst_.see(duration_ns, step);
  last_ns_[step % kStableSteps] = duration_ns;
  if (steady_since_ns_ == kForever) {
    warmup_.add(duration_ns);
    ++waited_;
    if (!find_steady_ || (!stable() && waited_ < kPatienceSteps)) return Change::none;
    steady_since_ns_ = end_ns;
    return Change::steady_begins;
  }
  const bool probation = steady_steps_ < kProbationSteps && step < 2 * kPatienceSteps;
  if (probation && steady_steps_ > 0 &&
      static_cast<double>(duration_ns) > kOutlierRatio * static_cast<double>(shortest_steady_ns_)) {
    steady_->add(duration_ns);
    warmup_.merge(*steady_);
    steady_.emplace();
    worst_steady_ = Worst();
    steady_steps_ = waited_ = 0;
    steady_since_ns_ = kForever;
    return Change::steady_ends;
  }
  steady_->add(duration_ns);
  worst_steady_.see(duration_ns, step);
  shortest_steady_ns_ =
      steady_steps_ == 0 ? duration_ns : std::min(shortest_steady_ns_, duration_ns);
  ++steady_steps_;
  return Change::none;
}

StepTracker::Change StepTracker::mark(std::int64_t time_ns, std::int64_t range_before,
                                      std::int64_t range_after) {
  const bool whole_step = marks_ > 0 && range_before >= 0 && range_before == last_range_;
  const std::int64_t duration_ns = std::max<std::int64_t>(time_ns - last_mark_ns_, 0);
  ++marks_;
  last_mark_ns_ = time_ns;
  last_range_ = range_after;
  return whole_step ? completed(duration_ns, time_ns) : Change::none;
}

report::Steps StepTracker::report() const {
  report::Steps steps;
  if (steps_ == 0) return steps;
  steps.source = "marked";
  const bool steady = steady_steps_ > 0;
  steps.time = (steady ? *steady_ : warmup_).distribution();
  steps.warmup_steps = steady ? warmup_.count() : 0;
  steps.worst_index = (steady ? worst_steady_ : worst_).index;
  return steps;
}

}  // namespace gapscope
