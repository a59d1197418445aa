#include "sink/trace_ranges.h"

namespace gapscope::sink {

std::optional<TraceRange> TraceRanges::add(const MarkRecord& mark) {
  const auto now_ns = static_cast<std::int64_t>(mark.time_ns);
  const Open opened{now_ns, mark.name_id, mark.header.thread};
  const auto closed = [now_ns](const Open& open) {
    return TraceRange{open.start_ns, now_ns < open.start_ns ? open.start_ns : now_ns, open.name_id,
                      open.thread};
  };
  const Key key{mark.header.thread, mark.domain_id};
  switch (mark.mark) {
    case MarkKind::range_push: {
      if (stacks_.size() >= kMaxThreads && !stacks_.contains(key)) break;
      Stack& stack = stacks_[key];
      if (stack.open.size() < kMaxDepth) {
        stack.open.push_back(opened);
      } else {
        ++stack.beyond;
      }
      break;
    }
    case MarkKind::range_pop: {
      const auto found = stacks_.find(key);
      if (found == stacks_.end()) break;
      Stack& stack = found->second;
      if (stack.beyond > 0) {
        --stack.beyond;
      } else if (!stack.open.empty()) {
        const TraceRange range = closed(stack.open.back());
        stack.open.pop_back();
        return range;
      }
      break;
    }
    case MarkKind::range_start:
      if (started_.size() < kMaxStarted) started_.insert_or_assign(mark.range_id, opened);
      break;
    case MarkKind::range_end:
      if (const auto found = started_.find(mark.range_id); found != started_.end()) {
        const TraceRange range = closed(found->second);
        started_.erase(found);
        return range;
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace gapscope::sink
