// Where steps come from, in order of precedence: gapscope_step(), a named range
// (GAPSCOPE_STEP_RANGE), else iterations found in what the program launches.
//
// The first mark of a stronger source voids what the weaker one has told. Iterations that were
// found in the past count as warm-up: their time has been summed up already.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/capture.h"
#include "analysis/iterations.h"
#include "analysis/operation.h"
#include "analysis/step_contents.h"
#include "analysis/step_range.h"
#include "analysis/steps.h"
#include "report/report.h"

namespace gapscope {

class StepSources {
 public:
  // capture is told of marked steps, and asked which steps lie inside.
  StepSources(const AnalysisOptions& options, Capture& capture)
      : capture_(capture),
        find_steady_(options.capture.mode == CaptureSpec::Mode::all),
        step_range_(options.step_range),
        tracker_(std::in_place, find_steady_) {}

  // Everything in the sweep's order. Each returns whether what counted as the steady state was
  // warm-up after all.
  bool mark(std::int64_t now_ns);
  bool range_mark(MarkKind kind, std::int64_t now_ns, std::uint32_t thread, std::uint64_t range_id,
                  std::string_view name);
  // An operation, before its phase is decided. optimiser: the kernel's family.
  bool operation(const Operation& op, bool optimiser);
  // A call that waited ended.
  bool synchronised(std::int64_t now_ns);
  bool finish(std::int64_t last_op_ns);

  // Ranges that were taken for a step's begin.
  std::int64_t step_ranges() const { return step_range_.steps(); }

  // What was launched then or later is of the steady state; kForever while there is none.
  std::int64_t steady_since_ns() const { return tracker_->steady_since_ns(); }
  bool steady_shown() const { return tracker_->steady_shown(); }
  StepContents& contents() { return contents_; }

  // Without the pictures of steps, and these: nullptr where there are none.
  report::Steps report() const;
  std::shared_ptr<const KeptStep> median_step() const {
    return contents_.choice(steady_shown()).nearest();
  }
  std::shared_ptr<const KeptStep> worst_step() const {
    return contents_.choice(steady_shown()).longest();
  }
  std::size_t held() const { return iterations_.held() + contents_.held(); }

 private:
  enum class Source : std::uint8_t { detected, range, marked };

  bool switch_to(Source source);
  bool found(IterationFinder::Found found);
  void mark_contents(std::int64_t time_ns, std::int64_t steps_before);
  // since_ns: the launch that a steady state would begin with.
  bool step(std::int64_t time_ns, std::int64_t since_ns, std::int64_t range_before,
            std::int64_t range_after);

  Capture& capture_;
  bool find_steady_;
  Source source_ = Source::detected;
  StepRange step_range_;
  IterationFinder iterations_;
  std::optional<StepTracker> tracker_;  // always one: to make it anew in place
  StepContents contents_;
};

}  // namespace gapscope
