#include "analysis/host_evidence.h"

#include <algorithm>

namespace gapscope {
namespace {

template <typename T>
void insert_by_begin(std::deque<T>& to, const T& value, std::size_t max) {
  if (to.size() >= max) to.pop_front();
  auto at = to.end();
  while (at != to.begin() && std::prev(at)->begin_ns > value.begin_ns) --at;
  to.insert(at, value);
}

template <typename T>
void drop_before(std::deque<T>& from, std::int64_t time_ns) {
  while (!from.empty() && from.front().end_ns < time_ns) from.pop_front();
}

bool sane(std::uint64_t begin_ns, std::uint64_t end_ns) {
  return plausible_times(begin_ns, end_ns) && end_ns > begin_ns;
}

std::int64_t tracing_of(std::int64_t graph_launch_ns, std::int64_t nodes) {
  const std::int64_t for_nodes_ns = std::max<std::int64_t>(graph_launch_ns - kLaunchNs, 0);
  return std::min(static_cast<std::int64_t>(kNodeTracingShare * static_cast<double>(for_nodes_ns)),
                  nodes * kMostNodeTracingNs);
}

}  // namespace

bool HostEvidence::launching(const Call& call) {
  switch (call.category) {
    case ApiCategory::launch:
    case ApiCategory::graph_launch:
    case ApiCategory::copy:
    case ApiCategory::set:
      if (call.thread == last_launching_) return true;
      if (launching_threads_.size() < kMaxThreads) launching_threads_.insert(call.thread);
      last_launching_ = call.thread;
      return true;
    default:
      return launching_threads_.contains(call.thread) || launching_threads_.empty();
  }
}

void HostEvidence::add_call(const Call& call, bool waits) {
  if (!launching(call)) return;
  if (calls_.size() >= kMaxCalls) calls_.pop_front();
  // A graph that is traced as a whole has one record.
  const bool by_node = call.category == ApiCategory::graph_launch && call.matched > 1;
  CallEvidence evidence{call.start_ns,
                        call.end_ns,
                        call.thread,
                        call.api,
                        call.category,
                        waits,
                        by_node ? tracing_of(call.end_ns - call.start_ns, call.matched) : 0};
  link(&evidence);
  calls_.push_back(evidence);
}

void HostEvidence::link(CallEvidence* call) const {
  switch (call->category) {
    case ApiCategory::module_load:
    case ApiCategory::graph_build:
    case ApiCategory::graph_launch:
    case ApiCategory::alloc:
    case ApiCategory::free_:
      return;
    default:
      break;
  }
  call->plain = !call->waits;
  if (calls_.empty()) return;
  const CallEvidence& before = calls_.back();
  if (call->begin_ns < before.begin_ns) call->plain = false;  // it came late
  const bool follows =
      call->plain && before.plain && call->begin_ns - before.end_ns < kHostStretchNs;
  call->followers = follows ? before.followers + 1 : 0;
}

void HostEvidence::add(const OverheadRecord& r) {
  if (!sane(r.start_ns, r.end_ns)) return;
  insert_by_begin(overheads_,
                  {static_cast<std::int64_t>(r.start_ns), static_cast<std::int64_t>(r.end_ns),
                   r.os_thread_id, r.type},
                  kMaxOther);
}

void HostEvidence::add(const GcRecord& r) {
  if (!sane(r.start_ns, r.end_ns)) return;
  insert_by_begin(
      collections_,
      {static_cast<std::int64_t>(r.start_ns), static_cast<std::int64_t>(r.end_ns), r.generation},
      kMaxOther);
}

void HostEvidence::add(const ThrottleRecord& r) {
  if (!sane(r.begin_ns, r.end_ns)) return;
  insert_by_begin(throttles_,
                  {static_cast<std::int64_t>(r.begin_ns), static_cast<std::int64_t>(r.end_ns),
                   static_cast<std::int64_t>(std::min(r.throttled_ns, r.end_ns - r.begin_ns))},
                  kMaxOther);
}

void HostEvidence::add(const ThreadInfoRecord& r) {
  if (threads_.size() < kMaxThreads) threads_[r.header.thread] = {r.os_thread_id, r.name_id};
}

bool HostEvidence::add_sample(const RecordHeader& header, SampleEvidence* understood) {
  const auto r = record_cast<ThreadSampleRecord>(header);
  if (!sane(r.begin_ns, r.end_ns)) return false;
  // Without an index and an id it could be any thread: several in one would contradict each other.
  const bool other = header.thread == kNoThread;
  if (other && r.os_thread_id == 0) return false;
  auto& of_all = other ? other_samples_ : samples_;
  const std::uint32_t thread = other ? r.os_thread_id : header.thread;
  if (of_all.size() >= kMaxThreads && !of_all.contains(thread)) return false;
  SampleEvidence sample;
  sample.begin_ns = static_cast<std::int64_t>(r.begin_ns);
  sample.end_ns = static_cast<std::int64_t>(r.end_ns);
  sample.on_cpu_ns = static_cast<std::int64_t>(std::min(r.on_cpu_ns, r.end_ns - r.begin_ns));
  sample.wait_id = r.wait_id;
  sample.waits_for = r.waits_for;
  sample.waits_for_os_thread = r.waits_for_os_thread;
  sample.waits_for_name_id = r.waits_for_name_id;
  sample.wait_guess = (header.flags & kSampleWaitGuess) != 0;
  sample.state = r.state;
  sample.runnable_ns = static_cast<std::int64_t>(std::min(r.runnable_ns, r.end_ns - r.begin_ns));
  // The ids are the record's last bytes, whatever its version knew of fields before them.
  const std::size_t frames = r.frame_count;
  const std::size_t bytes = round_up_8(4 * frames);
  if (header.size_bytes < offsetof(ThreadSampleRecord, frame_count) + bytes) return false;
  const char* at = reinterpret_cast<const char*>(&header) + header.size_bytes - bytes;
  for (std::size_t i = 0; i < frames; ++i) {
    std::uint32_t id = 0;
    std::memcpy(&id, at + 4 * i, 4);
    sample.frames.push_back(id);
  }
  if (understood != nullptr) *understood = sample;
  insert_by_begin(of_all[thread], sample, kMaxOther);
  return true;
}

void HostEvidence::forget_before(std::int64_t time_ns) {
  // The last call before a gap says since when its thread has made none.
  while (calls_.size() > 64 && calls_[64].begin_ns < time_ns && calls_.front().end_ns < time_ns) {
    calls_.pop_front();
  }
  drop_before(overheads_, time_ns);
  drop_before(collections_, time_ns);
  drop_before(throttles_, time_ns);
  for (auto& [thread, samples] : samples_) drop_before(samples, time_ns);
  for (auto& [thread, samples] : other_samples_) drop_before(samples, time_ns);
  // Threads of that sort come and go: a place is for one that was seen lately.
  absl::erase_if(other_samples_, [](const auto& entry) { return entry.second.empty(); });
}

const std::deque<SampleEvidence>* HostEvidence::samples(std::uint32_t thread) const {
  const auto found = samples_.find(thread);
  return found == samples_.end() ? nullptr : &found->second;
}

const std::deque<SampleEvidence>* HostEvidence::awaited(const SampleEvidence& sample) const {
  if (sample.waits_for != kNoThread) return samples(sample.waits_for);
  const auto found = other_samples_.find(sample.waits_for_os_thread);
  return found == other_samples_.end() ? nullptr : &found->second;
}

std::uint32_t HostEvidence::os_thread(std::uint32_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? 0 : found->second.os_thread_id;
}

std::uint32_t HostEvidence::thread_name_id(std::uint32_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? kNoString : found->second.name_id;
}

std::size_t HostEvidence::held() const {
  std::size_t n = calls_.size() + overheads_.size() + collections_.size() + throttles_.size();
  for (const auto& [thread, samples] : samples_) n += samples.size();
  for (const auto& [thread, samples] : other_samples_) n += samples.size();
  return n;
}

}  // namespace gapscope
