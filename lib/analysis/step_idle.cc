#include "analysis/step_idle.h"

#include <algorithm>

#include "analysis/operation.h"

namespace gapscope {

void StepIdle::settle(const Step& step, StepStats& stats) {
  if (step.counts) stats.step(step.begin_ns, step.end_ns, step.idle_ns);
}

void StepIdle::settle_first() {
  settle(waiting_.front(), *stats_);
  waiting_.pop_front();
}

void StepIdle::mark(std::int64_t time_ns, bool counts) {
  if (!waiting_.empty()) {
    waiting_.back().end_ns = time_ns;
    waiting_.back().counts = counts;
  }
  if (waiting_.size() >= kMaxWaiting) settle_first();
  waiting_.push_back({time_ns, kForever, false, {}});
}

void StepIdle::restart() {
  while (waiting_.size() > 1) settle_first();
  stats_->restart();
}

void StepIdle::clear() {
  waiting_.clear();
  stats_.emplace();
}

void StepIdle::idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& slices) {
  while (waiting_.size() > 1 && waiting_.front().end_ns <= begin_ns) settle_first();
  const double length_ns = static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns, 1));
  for (Step& step : waiting_) {
    const std::int64_t inside_ns =
        std::min(end_ns, step.end_ns) - std::max(begin_ns, step.begin_ns);
    if (inside_ns <= 0) continue;
    const double share = static_cast<double>(inside_ns) / length_ns;
    for (const CauseSlice& slice : slices) {
      step.idle_ns[static_cast<std::size_t>(slice.cause)] +=
          static_cast<std::int64_t>(static_cast<double>(slice.ns) * share);
    }
  }
}

StepStats StepIdle::stats() const {
  StepStats stats = *stats_;
  for (const Step& step : waiting_) settle(step, stats);
  return stats;
}

}  // namespace gapscope
