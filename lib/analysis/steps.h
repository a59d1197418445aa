// Durations of steps, and which of them are warm-up.
//
// A step is the time between two consecutive marks. Warm-up is told apart while the run goes on:
//
//   steady begins   at the mark that ends a step, when the last kStableSteps steps differ by at
//                   most kStableRatio, or after kPatienceSteps steps in any case;
//   steady is taken back (all of it was warm-up) when one of its first kProbationSteps steps takes
//                   more than kOutlierRatio times the shortest of them, within the first
//                   kPatienceSteps * 2 steps of the run: autotuning or compilation that comes a few
//                   steps late. At most kTakenBack times: what comes again and again (a garbage
//                   collection) is how the program runs.
//
// A steady state is shown when it has kShownSteps steps or more and kShownShare of all.
//
// Later slow steps are part of the steady state: they are what its percentiles are for.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/histogram.h"
#include "analysis/operation.h"
#include "report/report.h"

namespace gapscope {

class StepTracker {
 public:
  static constexpr int kStableSteps = 3;
  static constexpr double kStableRatio = 1.3;
  static constexpr std::int64_t kPatienceSteps = 20;
  static constexpr std::int64_t kProbationSteps = 10;
  static constexpr double kOutlierRatio = 3.0;
  static constexpr int kTakenBack = 2;
  static constexpr std::int64_t kShownSteps = 3;
  static constexpr double kShownShare = 0.1;

  // find_steady: false when the user chose what is counted: then nothing of it is warm-up.
  explicit StepTracker(bool find_steady) : find_steady_(find_steady) {}

  enum class Change : std::uint8_t { none, steady_begins, steady_ends };
  // A mark, in order of time, and the capture ranges just before and just after it. A step counts
  // when all of it lies in one range. since_ns: the launch that a steady state beginning here would
  // begin with.
  Change mark(std::int64_t time_ns, std::int64_t since_ns, std::int64_t range_before,
              std::int64_t range_after);
  // A mark that was found when its time had been swept: no reason to begin or to end a steady
  // state.
  void past_mark(std::int64_t time_ns, std::int64_t range_before, std::int64_t range_after);

  // What began then or later is of the steady state; kForever while there is none.
  std::int64_t steady_since_ns() const { return steady_since_ns_; }
  bool any() const { return marks_ > 0; }
  bool steady_shown() const {
    return steady_steps_ >= kShownSteps &&
           static_cast<double>(steady_steps_) >= kShownShare * static_cast<double>(steps_);
  }
  std::int64_t steps() const { return steps_; }
  // Of the steady state if it is shown, else of all steps. Without the source and what idle time
  // tells.
  report::Steps report() const;

 private:
  struct Worst {
    std::int64_t ns = -1;
    std::int64_t index = 0;
    void see(std::int64_t duration_ns, std::int64_t step) {
      if (duration_ns > ns) *this = {duration_ns, step};
    }
  };
  // The duration of the step that the mark ends, if it ends a step that counts.
  std::optional<std::int64_t> ended(std::int64_t time_ns, std::int64_t range_before,
                                    std::int64_t range_after);
  void add_warmup(std::int64_t duration_ns, std::int64_t step);
  void add_steady(std::int64_t duration_ns, std::int64_t step);
  Change completed(std::int64_t duration_ns, std::int64_t since_ns);
  bool stable() const;

  bool find_steady_;
  std::int64_t marks_ = 0;
  std::int64_t last_mark_ns_ = 0;
  std::int64_t last_range_ = -1;
  std::int64_t steps_ = 0;
  std::int64_t last_ns_[kStableSteps] = {};  // ring of durations
  std::int64_t waited_ = 0;                  // steps since the search for the steady state began
  std::int64_t steady_since_ns_ = kForever;
  std::int64_t steady_steps_ = 0;
  int taken_back_ = 0;
  std::int64_t shortest_steady_ns_ = 0;
  Histogram warmup_;
  std::optional<Histogram> steady_{std::in_place};
  Worst worst_;
  Worst worst_steady_;
};

}  // namespace gapscope
