#include "host/thread_census.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"

namespace gapscope {

bool ThreadCensus::is_service(std::string_view name) {
  return absl::StartsWith(name, "gapscope") || absl::StartsWith(name, "cuda") ||
         absl::StartsWith(name, "cupti");
}

void ThreadCensus::refresh(std::uint64_t now_ns, const absl::flat_hash_set<std::uint32_t>& skip) {
  if (counted_ns_ != 0 && now_ns - counted_ns_ < kPeriodNs) return;
  counted_ns_ = now_ns;
  count(skip);
  choose();
}

void ThreadCensus::count(const absl::flat_hash_set<std::uint32_t>& skip) {
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return;
  for (auto& [tid, known] : known_) known.seen = false;
  while (const dirent* entry = ::readdir(folder)) {
    const auto tid = static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    if (tid == 0 || skip.contains(tid)) continue;
    const bool is_new = !known_.contains(tid);
    if (is_new && known_.size() >= kMaxThreads) continue;
    const ThreadProbe probe(tid);
    Known& known = known_[tid];
    known.seen = true;
    if (is_new) known.service = is_service(probe.name());
    std::uint64_t cpu = 0;
    if (known.service || !probe.cpu_ns(&cpu)) continue;
    known.ran_ns = is_new ? 0 : cpu - known.cpu_ns;
    known.cpu_ns = cpu;
  }
  ::closedir(folder);
  absl::erase_if(known_, [](const auto& entry) { return !entry.second.seen; });
}

// Those followed already stay while they are among the busiest: their last look is worth keeping.
void ThreadCensus::choose() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> busiest;
  for (const auto& [tid, known] : known_) {
    if (!known.service && known.ran_ns > 0) busiest.emplace_back(known.ran_ns, tid);
  }
  std::sort(busiest.rbegin(), busiest.rend());
  if (busiest.size() > kMaxCandidates) busiest.resize(kMaxCandidates);
  const auto wanted = [&](std::uint32_t tid) {
    return std::any_of(busiest.begin(), busiest.end(),
                       [tid](const auto& entry) { return entry.second == tid; });
  };
  candidates_.erase(
      std::remove_if(candidates_.begin(), candidates_.end(),
                     [&](const SampledThread& thread) { return !wanted(thread.os_tid()); }),
      candidates_.end());
  for (const auto& [ran, tid] : busiest) {
    const bool followed =
        std::any_of(candidates_.begin(), candidates_.end(),
                    [id = tid](const SampledThread& thread) { return thread.os_tid() == id; });
    if (!followed) candidates_.emplace_back(kNoThread, tid, nullptr);
  }
}

}  // namespace gapscope
