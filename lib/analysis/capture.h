// What part of the run is counted (GAPSCOPE_CAPTURE), as ranges of time in which a launch must
// begin. Fed in order of time; asked about times up to the present one.
//
// Bounded: the last kRanges ranges are remembered, which reaches back far beyond any operation that
// is still to be swept.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <deque>

#include "analysis/analysis.h"
#include "analysis/operation.h"

namespace gapscope {

class Capture {
 public:
  static constexpr std::size_t kRanges = 4096;
  static constexpr std::int64_t kOutside = -1;

  explicit Capture(const CaptureSpec& spec);

  // Marks and the first operation of any device, in order of time.
  void switched(bool on, std::int64_t time_ns);
  void step_mark(std::int64_t time_ns);
  void first_operation(std::int64_t time_ns) {
    if (spec_.mode == CaptureSpec::Mode::time && !first_seen_) begin_time(time_ns);
  }

  // The number of the range that counts what began then, ascending with time; kOutside if none.
  std::int64_t range_at(std::int64_t time_ns) const {
    return everything() ? 0 : find_range(time_ns);
  }
  // Likewise for an operation: by its launch call; by itself where no call is known or where the
  // limits are times.
  std::int64_t range_of(const Operation& op) const {
    const bool by_launch = op.launch.known() && spec_.mode != CaptureSpec::Mode::time;
    return range_at(by_launch ? op.launch.start_ns : op.start_ns);
  }
  bool everything() const { return spec_.mode == CaptureSpec::Mode::all; }

 private:
  struct Range {
    std::int64_t begin_ns, end_ns, number;
  };
  void begin_time(std::int64_t time_ns);
  std::int64_t find_range(std::int64_t time_ns) const;
  void open(std::int64_t time_ns);
  void close(std::int64_t time_ns);

  CaptureSpec spec_;
  std::deque<Range> ranges_;
  std::int64_t number_ = 0;
  std::uint64_t step_marks_ = 0;
  bool open_ = false;
  bool first_seen_ = false;
};

}  // namespace gapscope
