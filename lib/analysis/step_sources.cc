#include "analysis/step_sources.h"

#include <string>

#include "analysis/cause.h"

namespace gapscope {
namespace {

// A worst step that takes less than this above the median is like the others.
constexpr double kWorthNaming = 0.2;

}  // namespace

bool StepSources::switch_to(Source source) {
  const bool was_steady = tracker_->steady_since_ns() != kForever;
  source_ = source;
  tracker_.emplace(find_steady_);
  contents_.clear();
  return was_steady;
}

// steps_before: how many steps had ended before the mark.
void StepSources::mark_contents(std::int64_t time_ns, std::int64_t steps_before) {
  const bool ended = tracker_->steps() > steps_before;
  contents_.mark(time_ns, ended ? std::optional(steps_before) : std::nullopt);
}

bool StepSources::step(std::int64_t time_ns, std::int64_t since_ns, std::int64_t range_before,
                       std::int64_t range_after) {
  const std::int64_t steps = tracker_->steps();
  const StepTracker::Change change = tracker_->mark(time_ns, since_ns, range_before, range_after);
  mark_contents(time_ns, steps);
  if (change != StepTracker::Change::none) contents_.restart();
  return change == StepTracker::Change::steady_ends;
}

bool StepSources::mark(std::int64_t now_ns) {
  bool void_steady = source_ < Source::marked && switch_to(Source::marked);
  capture_.step_mark(now_ns);
  return step(now_ns, now_ns, capture_.range_at(now_ns - 1), capture_.range_at(now_ns)) ||
         void_steady;
}

bool StepSources::range_mark(MarkKind kind, std::int64_t now_ns, std::uint32_t thread,
                             std::uint64_t range_id, std::string_view name) {
  if (!step_range_.mark(kind, now_ns, thread, range_id, name)) return false;
  if (source_ == Source::marked) return false;
  const bool void_steady = source_ < Source::range && switch_to(Source::range);
  capture_.step_mark(now_ns);
  return step(now_ns, now_ns, capture_.range_at(now_ns - 1), capture_.range_at(now_ns)) ||
         void_steady;
}

bool StepSources::operation(const Operation& op, bool optimiser) {
  return source_ == Source::detected && found(iterations_.operation(op, optimiser));
}

bool StepSources::synchronised(std::int64_t now_ns) {
  return source_ == Source::detected && found(iterations_.synchronised(now_ns));
}

bool StepSources::found(IterationFinder::Found found) {
  if (found == IterationFinder::Found::nothing) return false;
  const bool loop = found == IterationFinder::Found::loop;
  bool void_steady = loop && switch_to(Source::detected);
  for (const IterationBoundary& at : iterations_.boundaries()) {
    const std::int64_t before = at.resumes ? Capture::kOutside : capture_.range_at(at.host_ns - 1);
    const std::int64_t after = capture_.range_at(at.host_ns);
    if (loop) {
      tracker_->past_mark(at.device_ns, before, after);
    } else {
      void_steady = step(at.device_ns, at.host_ns, before, after) || void_steady;
    }
  }
  return void_steady;
}

bool StepSources::finish(std::int64_t last_op_ns) {
  if (source_ == Source::range && step_range_.last_end_ns() != kNever) {
    const std::int64_t end_ns = step_range_.last_end_ns();
    return step(end_ns, end_ns, capture_.range_at(end_ns - 1), Capture::kOutside);
  }
  if (source_ != Source::detected) return false;
  const bool void_steady = found(iterations_.finish());
  if (!iterations_.in_whole_iteration()) return void_steady;
  // The last iteration has no successor: it lasted to the last operation's end.
  const std::int64_t steps = tracker_->steps();
  tracker_->past_mark(last_op_ns, capture_.range_at(last_op_ns - 1), Capture::kOutside);
  mark_contents(last_op_ns, steps);
  return void_steady;
}

report::Steps StepSources::report() const {
  report::Steps steps = tracker_->report();
  if (steps.time.count == 0) return steps;
  steps.source = source_ == Source::marked  ? std::string("marked")
                 : source_ == Source::range ? step_range_.source()
                                            : iterations_.source();
  const StepStats stats = contents_.stats();
  // Of steps in the past no idle time is known.
  if (stats.count() != steps.time.count) return steps;
  const StepStats::Worst worst = stats.worst();
  steps.slow_period = stats.slow_period();
  const auto median_ns = static_cast<double>(stats.median_ns());
  if (static_cast<double>(worst.above_median_ns) < kWorthNaming * median_ns) return steps;
  if (worst.cause == StepStats::kNotIdle) {
    steps.worst_cause = "GPU work";
  } else if (worst.cause < static_cast<std::size_t>(kCauses)) {
    steps.worst_cause = cause_name(static_cast<Cause>(worst.cause));
  }
  return steps;
}

}  // namespace gapscope
