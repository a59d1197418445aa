// Steps from ranges: which ranges are steps (GAPSCOPE_STEP_RANGE), and where steps begin.
//
// A pattern that ends in '#' stands for that text and a number: "ProfilerStep#" for ProfilerStep#0,
// ProfilerStep#1, ... (torch.profiler's). Any other is matched exactly, after what emit_nvtx
// appends was stripped. Domains make no difference.
//
// A step lasts from one such range's begin to the next one's, so that what happens between two of
// them (a data loader, for one) belongs to the step that waited for it; the last one lasts to its
// own end. Only the ranges of the thread that opened the first one count, and of nested ones the
// outermost.
//
// An end that never comes (an exception between push and pop, a record lost) must not swallow all
// later steps: a range with a higher number inside a step ends it, unless others that match were
// nested in it before. Without numbers nothing tells a nested range from the next step.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/operation.h"
#include "record/record.h"

namespace gapscope {

class StepRange {
 public:
  // An empty pattern matches nothing.
  explicit StepRange(std::string_view pattern) : pattern_(pattern) {}

  bool matches(std::string_view name) const;

  // A range mark, in order of time: whether a step begins here. For pops and ends the name does not
  // matter.
  bool mark(MarkKind kind, std::int64_t time_ns, std::uint32_t thread, std::uint64_t range_id,
            std::string_view name);

  bool any() const { return steps_ > 0; }
  std::int64_t steps() const { return steps_; }
  // The end of the last range when no later one has begun, so that it ends the last step; kNever
  // otherwise.
  std::int64_t last_end_ns() const { return last_end_ns_; }
  // report::Steps::source: "range ProfilerStep#".
  std::string source() const { return "range " + pattern_; }

 private:
  bool begin(std::uint32_t thread, std::string_view name);
  std::uint64_t number_of(std::string_view name) const;

  std::string pattern_;
  std::uint32_t thread_ = kNoThread;  // whose ranges count
  std::int64_t steps_ = 0;
  // Open push ranges of thread_, any name: how deep the step's own one lies; -1 when none is open.
  std::int64_t depth_ = 0;
  std::int64_t step_depth_ = -1;
  bool started_ = false;  // by range_start
  std::uint64_t started_id_ = 0;
  std::uint64_t number_ = 0;    // of the open step
  bool nested_before_ = false;  // in the open step, ranges that match
  std::int64_t last_end_ns_ = kNever;
};

}  // namespace gapscope
