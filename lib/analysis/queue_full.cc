#include "analysis/queue_full.h"

#include <algorithm>
#include <iterator>

namespace gapscope {

void QueueFull::add_thread(const ThreadInfoRecord& record) {
  if (os_threads_.size() < kMaxThreads || os_threads_.contains(record.header.thread)) {
    os_threads_[record.header.thread] = record.os_thread_id;
  }
}

void QueueFull::insert(Intervals& to, std::int64_t start_ns, std::int64_t end_ns) {
  const auto at =
      std::upper_bound(to.begin(), to.end(), start_ns,
                       [](std::int64_t ns, const Interval& i) { return ns < i.start_ns; });
  const auto place = static_cast<std::size_t>(at - to.begin());
  to.insert(at, {start_ns, end_ns, kUnknown});
  extend(to, place);
  if (to.size() <= kMaxIntervals) return;
  to.pop_front();
  extend(to, 0);
}

// The latest end up to each entry, from that one on until nothing changes.
void QueueFull::extend(Intervals& intervals, std::size_t from) {
  std::int64_t reach_ns = from == 0 ? 0 : intervals[from - 1].reach_ns;
  for (std::size_t i = from; i < intervals.size(); ++i) {
    reach_ns = std::max(reach_ns, intervals[i].end_ns);
    if (intervals[i].reach_ns == reach_ns) return;
    intervals[i].reach_ns = reach_ns;
  }
}

bool QueueFull::overlaps(const Intervals& intervals, std::int64_t start_ns, std::int64_t end_ns) {
  const auto later =
      std::lower_bound(intervals.begin(), intervals.end(), end_ns,
                       [](const Interval& i, std::int64_t ns) { return i.start_ns < ns; });
  return later != intervals.begin() && std::prev(later)->reach_ns > start_ns;
}

void QueueFull::add(const OverheadRecord& record) {
  if (record.type != OverheadType::command_buffer_full) return;
  const bool mapped = record.header.thread != kNoThread;
  auto& threads = mapped ? by_thread_ : by_os_thread_;
  const std::uint32_t key = mapped ? record.header.thread : record.os_thread_id;
  if (threads.size() >= kMaxThreads && !threads.contains(key)) return;
  insert(threads[key], static_cast<std::int64_t>(record.start_ns),
         static_cast<std::int64_t>(record.end_ns));
}

bool QueueFull::overlaps(std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns) const {
  if (!by_thread_.empty()) {
    const auto found = by_thread_.find(thread);
    if (found != by_thread_.end() && overlaps(found->second, start_ns, end_ns)) return true;
  }
  if (by_os_thread_.empty()) return false;
  const auto os = os_threads_.find(thread);
  if (os == os_threads_.end()) return false;
  const auto found = by_os_thread_.find(os->second);
  return found != by_os_thread_.end() && overlaps(found->second, start_ns, end_ns);
}

void QueueFull::forget_before(std::int64_t time_ns) {
  for (auto* threads : {&by_thread_, &by_os_thread_}) {
    for (auto& [thread, intervals] : *threads) {
      const auto kept = std::remove_if(intervals.begin(), intervals.end(),
                                       [&](const Interval& i) { return i.end_ns < time_ns; });
      if (kept == intervals.end()) continue;
      intervals.erase(kept, intervals.end());
      for (Interval& interval : intervals) interval.reach_ns = kUnknown;
      extend(intervals, 0);
    }
  }
}

}  // namespace gapscope
