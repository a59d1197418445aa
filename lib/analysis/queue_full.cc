#include "analysis/queue_full.h"

#include <algorithm>

namespace gapscope {

void QueueFull::add_thread(const ThreadInfoRecord& record) {
  if (os_threads_.size() < kMaxThreads || os_threads_.contains(record.header.thread)) {
    os_threads_[record.header.thread] = record.os_thread_id;
  }
}

void QueueFull::insert(Intervals& to, Interval interval) {
  const auto at = std::upper_bound(
      to.begin(), to.end(), interval.start_ns,
      [](std::int64_t start_ns, const Interval& i) { return start_ns < i.start_ns; });
  to.insert(at, interval);
  if (to.size() > kMaxIntervals) to.pop_front();
}

void QueueFull::add(const OverheadRecord& record) {
  if (record.type != OverheadType::command_buffer_full) return;
  const bool mapped = record.header.thread != kNoThread;
  auto& threads = mapped ? by_thread_ : by_os_thread_;
  const std::uint32_t key = mapped ? record.header.thread : record.os_thread_id;
  if (threads.size() >= kMaxThreads && !threads.contains(key)) return;
  insert(threads[key],
         {static_cast<std::int64_t>(record.start_ns), static_cast<std::int64_t>(record.end_ns)});
}

bool QueueFull::overlaps(std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns) const {
  const auto in = [&](const Intervals& intervals) {
    return std::any_of(intervals.begin(), intervals.end(), [&](const Interval& i) {
      return i.start_ns < end_ns && i.end_ns > start_ns;
    });
  };
  if (!by_thread_.empty()) {
    const auto found = by_thread_.find(thread);
    if (found != by_thread_.end() && in(found->second)) return true;
  }
  if (by_os_thread_.empty()) return false;
  const auto os = os_threads_.find(thread);
  if (os == os_threads_.end()) return false;
  const auto found = by_os_thread_.find(os->second);
  return found != by_os_thread_.end() && in(found->second);
}

void QueueFull::forget_before(std::int64_t time_ns) {
  for (auto* threads : {&by_thread_, &by_os_thread_}) {
    for (auto& [thread, intervals] : *threads) {
      intervals.erase(std::remove_if(intervals.begin(), intervals.end(),
                                     [&](const Interval& i) { return i.end_ns < time_ns; }),
                      intervals.end());
    }
  }
}

}  // namespace gapscope
