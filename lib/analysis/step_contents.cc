#include "analysis/step_contents.h"

#include <algorithm>

#include "analysis/operation.h"

namespace gapscope {
namespace {

constexpr std::size_t kMaxSpare = 2;

}  // namespace

void StepContents::settle_first() {
  Step& step = waiting_.front();
  if (step.index) {
    stats_->step(step.begin_ns, step.end_ns, step.idle_ns);
    const std::int64_t length_ns = step.end_ns - step.begin_ns;
    const StepChoice::Verdict of_all = since_clear_->judge(length_ns);
    const StepChoice::Verdict of_recent = since_restart_->judge(length_ns);
    if (of_all.any() || of_recent.any()) {
      const auto kept = std::make_shared<const KeptStep>(
          KeptStep{*step.index, step.begin_ns, step.end_ns, std::move(step.entries)});
      since_clear_->keep(of_all, kept);
      since_restart_->keep(of_recent, kept);
      step.entries = StepEntries();
    }
  }
  if (spare_.size() < kMaxSpare) {
    step.entries.clear();
    spare_.push_back(std::move(step.entries));
  }
  waiting_.pop_front();
}

void StepContents::mark(std::int64_t time_ns, std::optional<std::int64_t> ended) {
  Step fresh{time_ns, kForever, std::nullopt, {}, {}};
  if (!spare_.empty()) {
    fresh.entries = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!waiting_.empty()) {
    waiting_.back().end_ns = std::max(time_ns, waiting_.back().begin_ns);
    waiting_.back().index = ended;
    fresh.entries.continue_from(waiting_.back().entries, time_ns);
  }
  if (waiting_.size() >= kMaxWaiting) settle_first();
  waiting_.push_back(std::move(fresh));
}

void StepContents::restart() {
  while (waiting_.size() > 1) settle_first();
  stats_->restart();
  since_restart_.emplace();
}

void StepContents::clear() {
  waiting_.clear();
  stats_.emplace();
  since_clear_.emplace();
  since_restart_.emplace();
}

void StepContents::idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& slices) {
  idle_told_until(begin_ns);
  const auto add = [this](std::int64_t from_ns, std::int64_t to_ns, Cause cause) {
    for (Step& step : waiting_) {
      const std::int64_t from = std::max(from_ns, step.begin_ns);
      const std::int64_t to = std::min(to_ns, step.end_ns);
      if (from >= to) continue;
      step.idle_ns[static_cast<std::size_t>(cause)] += to - from;
      step.entries.add_idle(from, to, cause);
    }
  };
  std::int64_t at_ns = begin_ns;
  for (const CauseSlice& slice : slices) {
    add(at_ns, at_ns + slice.ns, slice.cause);
    at_ns += slice.ns;
  }
  if (at_ns < end_ns) add(at_ns, end_ns, Cause::unattributed);
}

StepStats StepContents::stats() const {
  StepStats stats = *stats_;
  for (const Step& step : waiting_) {
    if (step.index) stats.step(step.begin_ns, step.end_ns, step.idle_ns);
  }
  return stats;
}

StepChoice StepContents::choice(bool since_restart) const {
  StepChoice choice = since_restart ? *since_restart_ : *since_clear_;
  for (const Step& step : waiting_) {
    if (!step.index) continue;
    const StepChoice::Verdict verdict = choice.judge(step.end_ns - step.begin_ns);
    if (!verdict.any()) continue;
    choice.keep(verdict, std::make_shared<const KeptStep>(
                             KeptStep{*step.index, step.begin_ns, step.end_ns, step.entries}));
  }
  return choice;
}

}  // namespace gapscope
