#include "analysis/step_range.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "analysis/ranges_name.h"

namespace gapscope {

bool StepRange::matches(std::string_view name) const {
  if (pattern_.empty()) return false;
  name = strip_range_name(name);
  if (pattern_.back() != '#') return name == pattern_;
  if (name.size() <= pattern_.size() || name.substr(0, pattern_.size()) != pattern_) return false;
  name.remove_prefix(pattern_.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Of a name that matches; too many digits are all the same to us. 0 without a number.
std::uint64_t StepRange::number_of(std::string_view name) const {
  std::uint64_t number = 0;
  if (pattern_.back() == '#') {
    (void)absl::SimpleAtoi(strip_range_name(name).substr(pattern_.size()), &number);
  }
  return number;
}

bool StepRange::begin(std::uint32_t thread, std::string_view name) {
  const std::uint64_t number = number_of(name);
  if (step_depth_ >= 0 || started_) {
    const bool next = number > number_ && !nested_before_;
    if (!next) {
      nested_before_ = true;
      return false;
    }
    if (step_depth_ >= 0) depth_ = step_depth_;
    step_depth_ = -1;
    started_ = false;
  }
  thread_ = thread;
  number_ = number;
  nested_before_ = false;
  ++steps_;
  last_end_ns_ = kNever;
  return true;
}

bool StepRange::mark(MarkKind kind, std::int64_t time_ns, std::uint32_t thread,
                     std::uint64_t range_id, std::string_view name) {
  // Ranges started in one thread and ended in another are known by their id.
  if (kind == MarkKind::range_end && started_ && range_id == started_id_) {
    started_ = false;
    last_end_ns_ = time_ns;
    return false;
  }
  if (thread_ != kNoThread && thread != thread_) return false;
  switch (kind) {
    case MarkKind::range_push: {
      const bool begins = matches(name) && begin(thread, name);
      if (begins) step_depth_ = depth_;
      if (thread_ != kNoThread) ++depth_;
      return begins;
    }
    case MarkKind::range_pop:
      if (depth_ > 0) --depth_;
      if (step_depth_ >= 0 && depth_ == step_depth_) {
        step_depth_ = -1;
        last_end_ns_ = time_ns;
      }
      return false;
    case MarkKind::range_start:
      if (!matches(name) || !begin(thread, name)) return false;
      started_ = true;
      started_id_ = range_id;
      return true;
    default:
      return false;
  }
}

}  // namespace gapscope
