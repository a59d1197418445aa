// Where a device's time went over the run, in at most 60 slices, although nobody knows beforehand
// how long the run will be.
//
// Inside are up to 960 slices of 2^k ns each; they start at 1 ns, and when time outgrows them
// neighbours are added together and k grows. An interval is split over the slices that it touches
// to the nanosecond, so that sums over all slices are exact at any time. Idle time is told apart by
// cause. Memory is fixed: 113 KB, touched as slices are used.
//
// Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cause.h"
#include "analysis/cause_slice.h"
#include "report/report.h"

namespace gapscope {

// The parts that a device's window is split into; see report::TimeSplit.
enum class TimeKind : std::uint8_t { compute, comm_exposed, copy_only, idle, unknown };

class Timeline {
 public:
  // Time [begin_ns, end_ns) was of that kind. Any order, best ascending; intervals must not overlap
  // (they would add up twice). Empty and inverted ones are ignored. Times are >= 0.
  void add(std::int64_t begin_ns, std::int64_t end_ns, TimeKind kind) {
    // Nearly always within the slice of the one before.
    if (begin_ns >= current_begin_ns_ && end_ns <= current_end_ns_ && begin_ns < end_ns) {
      credit(fine_[current_], kind, Cause::unattributed, end_ns - begin_ns);
    } else {
      add_anywhere(begin_ns, end_ns, kind, Cause::unattributed);
    }
  }
  // It was idle, for these causes. What they do not cover is unattributed.
  void add_idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& causes);

  struct Result {
    std::vector<report::Device::Slice> slices;
    std::vector<std::array<std::int64_t, kCauses>> idle_ns;  // of each slice, by cause
    std::int64_t slice_ns = 0;
  };
  // Slices over the window [begin_ns, end_ns). The first begins at begin_ns, or before it by less
  // than one internal slice when earlier time was added. At most 60; at least 30 when the window is
  // longer than 60 ns and all that was added lies inside and fills it. What was added outside the
  // window is found in the first and the last slice, so that sums stay exact. Any time, repeatedly.
  Result finish(std::int64_t begin_ns, std::int64_t end_ns) const;

  static constexpr std::int64_t kMaxSlices = 60;

 private:
  static constexpr std::int64_t kFine = 16 * kMaxSlices;

  struct Slice {
    std::int64_t busy_ns = 0, compute_ns = 0;
    std::array<std::int64_t, kCauses> idle_ns{};  // by cause
  };
  static void add_up(Slice& to, const Slice& from);
  static void credit(Slice& slice, TimeKind kind, Cause cause, std::int64_t ns) {
    if (kind == TimeKind::unknown) return;
    if (kind == TimeKind::idle) {
      slice.idle_ns[static_cast<std::size_t>(cause)] += ns;
      return;
    }
    if (kind == TimeKind::compute) slice.compute_ns += ns;
    slice.busy_ns += ns;
  }
  void add_anywhere(std::int64_t begin_ns, std::int64_t end_ns, TimeKind kind, Cause cause);
  void set_current(std::int64_t i);
  void cover(std::int64_t begin_ns, std::int64_t end_ns);
  void halve();
  // From the origin on, which must not be later. Unsigned: the difference may exceed 2^63.
  std::uint64_t offset(std::int64_t time_ns) const {
    return static_cast<std::uint64_t>(time_ns) - static_cast<std::uint64_t>(origin_ns_);
  }
  std::int64_t index(std::int64_t time_ns) const {
    return static_cast<std::int64_t>(offset(time_ns) >> shift_);
  }

  std::int64_t origin_ns_ = 0;  // begin of fine_[0]
  int shift_ = 0;               // each is 2^shift_ ns
  std::vector<Slice> fine_;     // at most kFine
  // The slice that time was last added to, and its limits; none when the limits are equal.
  std::size_t current_ = 0;
  std::int64_t current_begin_ns_ = 0;
  std::int64_t current_end_ns_ = 0;
};

}  // namespace gapscope
