#include "analysis/capture.h"

#include <algorithm>

namespace gapscope {
namespace {

std::int64_t later(std::int64_t time_ns, std::uint64_t by_ns) {
  const std::uint64_t room = static_cast<std::uint64_t>(kForever - time_ns);
  return by_ns >= room ? kForever : time_ns + static_cast<std::int64_t>(by_ns);
}

}  // namespace

Capture::Capture(const CaptureSpec& spec) : spec_(spec) {
  // Counted from the beginning: what led to the first operation belongs to it.
  if (spec_.mode == CaptureSpec::Mode::time && spec_.first == 0) open(kNever);
}

void Capture::open(std::int64_t time_ns) {
  if (open_) return;
  open_ = true;
  ranges_.push_back({time_ns, kForever, number_++});
  if (ranges_.size() > kRanges) ranges_.pop_front();
}

void Capture::close(std::int64_t time_ns) {
  if (!open_) return;
  open_ = false;
  ranges_.back().end_ns = std::max(time_ns, ranges_.back().begin_ns);
}

void Capture::switched(bool on, std::int64_t time_ns) {
  if (spec_.mode != CaptureSpec::Mode::range) return;
  if (on) {
    open(time_ns);
  } else {
    close(time_ns);
  }
}

// Step k lies between the marks k and k + 1.
void Capture::step_mark(std::int64_t time_ns) {
  const std::uint64_t mark = step_marks_++;
  if (spec_.mode != CaptureSpec::Mode::steps) return;
  if (mark == spec_.first) open(time_ns);
  if (mark > spec_.last) close(time_ns);
}

void Capture::begin_time(std::int64_t time_ns) {
  first_seen_ = true;
  open(later(time_ns, spec_.first));
  close(later(time_ns, spec_.last));
}

std::int64_t Capture::find_range(std::int64_t time_ns) const {
  for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
    if (time_ns >= range->end_ns) return kOutside;
    if (time_ns >= range->begin_ns) return range->number;
  }
  return kOutside;
}

}  // namespace gapscope
