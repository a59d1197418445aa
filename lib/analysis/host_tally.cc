#include "analysis/host_tally.h"

#include <algorithm>

namespace gapscope {

void HostTally::add_call(const Call& call, bool waits) {
  Entry& e = entry(call.api);
  const std::int64_t ns = call.end_ns - call.start_ns;
  e.time.add(ns);
  if (waits) e.blocking_ns += ns;
  if (call.failed()) ++e.failed;
  if (call.captured()) ++e.captured;
}

void HostTally::add_wait(ApiId api, std::int64_t total_ns, std::int64_t busy_ns,
                         std::int64_t idle_ns) {
  Entry& e = entry(api);
  ++e.waits;
  e.wait_ns += total_ns;
  e.busy_ns += busy_ns;
  e.idle_ns += idle_ns;
}

void HostTally::merge(const HostTally& other) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& to = entries_[i];
    const Entry& from = other.entries_[i];
    to.time.merge(from.time);
    to.blocking_ns += from.blocking_ns;
    to.failed += from.failed;
    to.captured += from.captured;
    to.waits += from.waits;
    to.wait_ns += from.wait_ns;
    to.busy_ns += from.busy_ns;
    to.idle_ns += from.idle_ns;
  }
}

std::vector<report::HostCall> HostTally::host_calls() const {
  std::vector<report::HostCall> calls;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (e.time.count() == 0) continue;
    const auto api = static_cast<ApiId>(i);
    report::HostCall& call = calls.emplace_back();
    call.name = api_name(api);
    call.category = category_name(api_category(api));
    call.blocking_ns = e.blocking_ns;
    call.failed = e.failed;
    call.captured = e.captured;
    call.time = e.time.distribution();
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.time.total_ns > b.time.total_ns; });
  return calls;
}

std::vector<report::Wait> HostTally::waits() const {
  std::vector<report::Wait> waits;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (e.waits == 0) continue;
    waits.push_back(
        {std::string(api_name(static_cast<ApiId>(i))), e.waits, e.wait_ns, e.busy_ns, e.idle_ns});
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return waits;
}

}  // namespace gapscope
