#include "analysis/step_stats.h"

#include <algorithm>

namespace gapscope {

void StepStats::step(std::int64_t begin_ns, std::int64_t end_ns,
                     absl::Span<const std::int64_t> idle_by_cause) {
  const std::int64_t duration_ns = std::max<std::int64_t>(end_ns - begin_ns, 0);
  const std::size_t causes = std::min(idle_by_cause.size(), kMaxCauses);
  while (idle_.size() < causes) {
    Histogram& fresh = idle_.emplace_back();
    for (std::int64_t i = 0; i < count(); ++i) fresh.add(0);
  }
  durations_->add(duration_ns);
  for (std::size_t c = 0; c < idle_.size(); ++c) idle_[c].add(c < causes ? idle_by_cause[c] : 0);
  period_.add(duration_ns);
  if (duration_ns > worst_ns_) {
    worst_ns_ = duration_ns;
    worst_index_ = index_;
    worst_idle_ns_.fill(0);
    std::copy_n(idle_by_cause.begin(), causes, worst_idle_ns_.begin());
  }
  ++index_;
}

void StepStats::restart() {
  durations_.emplace();
  idle_.clear();
  period_ = StepPeriod();
  worst_ns_ = -1;
}

std::int64_t StepStats::median_idle_ns(std::size_t cause) const {
  return cause < idle_.size() ? idle_[cause].percentile_ns(0.5) : 0;
}

StepStats::Worst StepStats::worst() const {
  Worst worst;
  if (count() == 0) return worst;
  worst.index = worst_index_;
  worst.duration_ns = worst_ns_;
  worst.above_median_ns = std::max<std::int64_t>(worst_ns_ - median_ns(), 0);
  std::int64_t rest_ns = worst.above_median_ns;
  for (std::size_t c = 0; c < idle_.size(); ++c) {
    const std::int64_t above_ns = worst_idle_ns_[c] - median_idle_ns(c);
    rest_ns -= above_ns;
    if (above_ns > worst.cause_above_median_ns) {
      worst.cause_above_median_ns = above_ns;
      worst.cause = c;
    }
  }
  if (rest_ns > worst.cause_above_median_ns) {
    worst.cause_above_median_ns = rest_ns;
    worst.cause = kNotIdle;
  }
  const double named_ns = kNamedShare * static_cast<double>(worst.above_median_ns);
  if (worst.cause_above_median_ns <= 0 ||
      static_cast<double>(worst.cause_above_median_ns) < named_ns) {
    worst.cause = kNone;
    worst.cause_above_median_ns = 0;
  }
  return worst;
}

}  // namespace gapscope
