// What lies in which step: the first device's idle time, so that a slow step can be told its cause,
// and the operations and calls of those steps that are shown whole.
//
// A gap is final only when it has ended, which may be after the step's own end: a step waits here
// until all idle stretches that begin before its end have been told. Bounded: kMaxWaiting steps
// (then the oldest is taken as it is), StepEntries of each and of at most four that are kept.
// Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/cause.h"
#include "analysis/cause_slice.h"
#include "analysis/step_choice.h"
#include "analysis/step_entries.h"
#include "analysis/step_stats.h"

namespace gapscope {

class StepContents {
 public:
  static constexpr std::size_t kMaxWaiting = 64;
  static_assert(static_cast<std::size_t>(kCauses) <= StepStats::kMaxCauses);

  // In order of time: what lay before is the step of that index, if it counts, and the next one
  // begins.
  void mark(std::int64_t time_ns, std::optional<std::int64_t> ended);
  // All steps so far were warm-up.
  void restart();
  void clear();

  // What counts, of any device and thread, as it begins.
  void operation(const Operation& op) {
    if (!waiting_.empty()) waiting_.back().entries.add(op);
  }
  void call(const Call& call, bool blocks) {
    if (!waiting_.empty()) waiting_.back().entries.add(call, blocks);
  }
  // An idle stretch, in order of begin.
  void idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& slices);
  // All that begin before that time have been told.
  void idle_told_until(std::int64_t time_ns) {
    while (!waiting_.empty() && waiting_.front().end_ns <= time_ns) settle_first();
  }

  // As if all had settled.
  StepStats stats() const;
  // Of the steps since restart(), or of all since clear().
  StepChoice choice(bool since_restart) const;
  std::size_t held() const { return waiting_.size(); }

 private:
  struct Step {
    std::int64_t begin_ns, end_ns;  // kForever: still open
    std::optional<std::int64_t> index;
    std::array<std::int64_t, kCauses> idle_ns{};
    StepEntries entries;
  };
  void settle_first();

  std::optional<StepStats> stats_{std::in_place};
  std::optional<StepChoice> since_clear_{std::in_place}, since_restart_{std::in_place};
  std::deque<Step> waiting_;        // the last one is still open
  std::vector<StepEntries> spare_;  // empty ones that have their memory
};

}  // namespace gapscope
