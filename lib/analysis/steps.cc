#include "analysis/steps.h"

#include <algorithm>

namespace gapscope {

bool StepTracker::stable() const {
  if (waited_ < kStableSteps) return false;
  const auto [shortest, longest] = std::minmax_element(last_ns_, last_ns_ + kStableSteps);
  return static_cast<double>(*longest) <= kStableRatio * static_cast<double>(*shortest);
}

void StepTracker::add_warmup(std::int64_t duration_ns, std::int64_t step) {
  worst_.see(duration_ns, step);
  last_ns_[step % kStableSteps] = duration_ns;
  warmup_.add(duration_ns);
  ++waited_;
}

void StepTracker::add_steady(std::int64_t duration_ns, std::int64_t step) {
  worst_.see(duration_ns, step);
  last_ns_[step % kStableSteps] = duration_ns;
  steady_->add(duration_ns);
  worst_steady_.see(duration_ns, step);
  shortest_steady_ns_ =
      steady_steps_ == 0 ? duration_ns : std::min(shortest_steady_ns_, duration_ns);
  ++steady_steps_;
}

StepTracker::Change StepTracker::completed(std::int64_t duration_ns, std::int64_t since_ns) {
  const std::int64_t step = steps_++;
  if (steady_since_ns_ == kForever) {
    add_warmup(duration_ns, step);
    if (!find_steady_ || (!stable() && waited_ < kPatienceSteps)) return Change::none;
    steady_since_ns_ = since_ns;
    return Change::steady_begins;
  }
  const bool probation = steady_steps_ < kProbationSteps && step < 2 * kPatienceSteps;
  const bool outlier =
      steady_steps_ > 0 &&
      static_cast<double>(duration_ns) > kOutlierRatio * static_cast<double>(shortest_steady_ns_);
  if (!probation || !outlier || taken_back_ >= kTakenBack) {
    add_steady(duration_ns, step);
    return Change::none;
  }
  warmup_.merge(*steady_);
  steady_.emplace();
  worst_steady_ = Worst();
  steady_since_ns_ = kForever;
  add_warmup(duration_ns, step);
  steady_steps_ = waited_ = 0;
  ++taken_back_;
  return Change::steady_ends;
}

std::optional<std::int64_t> StepTracker::ended(std::int64_t time_ns, std::int64_t range_before,
                                               std::int64_t range_after) {
  const bool whole_step = marks_ > 0 && range_before >= 0 && range_before == last_range_;
  const std::int64_t duration_ns = std::max<std::int64_t>(time_ns - last_mark_ns_, 0);
  ++marks_;
  last_mark_ns_ = time_ns;
  last_range_ = range_after;
  return whole_step ? std::optional(duration_ns) : std::nullopt;
}

StepTracker::Change StepTracker::mark(std::int64_t time_ns, std::int64_t since_ns,
                                      std::int64_t range_before, std::int64_t range_after) {
  const auto duration_ns = ended(time_ns, range_before, range_after);
  return duration_ns ? completed(*duration_ns, since_ns) : Change::none;
}

void StepTracker::past_mark(std::int64_t time_ns, std::int64_t range_before,
                            std::int64_t range_after) {
  const auto duration_ns = ended(time_ns, range_before, range_after);
  if (!duration_ns) return;
  const std::int64_t step = steps_++;
  if (steady_since_ns_ == kForever) {
    add_warmup(*duration_ns, step);
  } else {
    add_steady(*duration_ns, step);
  }
}

report::Steps StepTracker::report() const {
  report::Steps steps;
  if (steps_ == 0) return steps;
  if (steady_shown()) {
    steps.time = steady_->distribution();
    steps.warmup_steps = warmup_.count();
    steps.worst_index = worst_steady_.index;
    return steps;
  }
  Histogram all = warmup_;
  all.merge(*steady_);
  steps.time = all.distribution();
  steps.worst_index = worst_.index;
  return steps;
}

}  // namespace gapscope
