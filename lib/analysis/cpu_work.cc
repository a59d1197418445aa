#include "analysis/cpu_work.h"

#include <algorithm>

namespace gapscope {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.change > b.change;
};

}  // namespace

template <typename Change>
int CpuWork::change(std::uint32_t index, Change&& change) {
  index = std::min(index, static_cast<std::uint32_t>(kMaxThreads));  // the last one for all others
  if (index >= threads_.size()) threads_.resize(index + 1);
  Thread& thread = threads_[index];
  const bool worked = thread.works();
  change(thread);
  return static_cast<int>(thread.works()) - static_cast<int>(worked);
}

int CpuWork::call_begins(std::uint32_t index, ApiCategory category, bool waits) {
  const bool launches = category == ApiCategory::launch || category == ApiCategory::graph_launch ||
                        category == ApiCategory::copy || category == ApiCategory::set;
  return change(index, [=](Thread& thread) {
    ++(waits ? thread.waiting_calls : thread.working_calls);
    thread.launches |= launches;
  });
}

int CpuWork::call_ends(std::uint32_t index, bool waits) {
  return change(index,
                [=](Thread& thread) { --(waits ? thread.waiting_calls : thread.working_calls); });
}

void CpuWork::add_sample(std::uint32_t index, std::int64_t begin_ns, std::int64_t end_ns,
                         std::int64_t now_ns) {
  begin_ns = std::max(begin_ns, now_ns);
  if (index >= kMaxThreads || begin_ns >= end_ns || events_.size() + 2 > kMaxEvents) return;
  for (const Event& event : {Event{begin_ns, index, 1}, Event{end_ns, index, -1}}) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), kLater);
  }
}

int CpuWork::take_event() {
  std::pop_heap(events_.begin(), events_.end(), kLater);
  const Event event = events_.back();
  events_.pop_back();
  return change(event.thread, [&](Thread& thread) { thread.on_cpu += event.change; });
}

}  // namespace gapscope
