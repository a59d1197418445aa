#include "sink/trace_writer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/match.h"
#include "analysis/evidence_text.h"
#include "analysis/operation.h"
#include "record/api.h"
#include "sink/json_string.h"
#include "sink/safe_text.h"
#include "sink/trace_words.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kMaxKernelNames = 80'000;
// As Kineto: a quarter of a year, so that the traces of a job's ranks count from the same time and
// times still fit a double to the nanosecond.
constexpr std::int64_t kBaseStepNs = 7'889'238'000'000'000;

std::int64_t number(std::string_view text, std::int64_t fallback) {
  std::int64_t value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

TraceWriter::TraceWriter(std::unique_ptr<TraceFile> file)
    : file_(std::move(file)), events_(*file_), names_(kMaxKernelNames) {}

absl::StatusOr<std::unique_ptr<TraceWriter>> TraceWriter::open(const std::string& path,
                                                               std::uint64_t limit_bytes) {
  auto file = TraceFile::open(path, limit_bytes);
  if (!file.ok()) return file.status();
  return std::unique_ptr<TraceWriter>(new TraceWriter(*std::move(file)));
}

// Whether an event may be written; the first one opens the file.
bool TraceWriter::begin(std::int64_t time_ns) {
  if (ended_) return false;
  if (!begun_) {
    begun_ = true;
    events_.open(rank_, world_size_, time_ns / kBaseStepNs * kBaseStepNs);
    const auto pid = static_cast<std::uint64_t>(pid_);
    events_.metadata("process_name", {pid, 0}, "name", json_string(short_command(command_)));
    events_.metadata("process_labels", {pid, 0}, "labels", "\"CPU\"");
    events_.metadata("process_sort_index", {pid, 0}, "sort_index", "0");
  }
  if (file_->is_full()) {
    stopped_ = true;
    end();
    return false;
  }
  last_ns_ = std::max(last_ns_, time_ns);
  return true;
}

void TraceWriter::add_meta(MetaKey key, std::string_view text) {
  if (key == MetaKey::command) command_ = std::string(text);
  if (key == MetaKey::pid) pid_ = std::max<std::int64_t>(number(text, 0), 0);
  if (key != MetaKey::rank) return;
  rank_ = number(text, 0);
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) world_size_ = number(text.substr(slash + 1), 1);
}

void TraceWriter::name_device(std::uint32_t device) {
  if (device < named_devices_.size() && named_devices_[device]) return;
  named_devices_.resize(std::max<std::size_t>(named_devices_.size(), device + 1));
  named_devices_[device] = true;
  events_.metadata("process_name", {device, 0}, "name", json_string(short_command(command_)));
  events_.metadata("process_labels", {device, 0}, "labels", fmt::format("\"GPU {}\"", device));
  events_.metadata("process_sort_index", {device, 0}, "sort_index",
                   fmt::format("{}", 5'000'000 + device));
  const Track gaps{device, kGapTrack};
  events_.metadata("thread_name", gaps, "name", "\"idle gaps, by cause\"");
  events_.metadata("thread_sort_index", gaps, "sort_index", fmt::format("{}", kGapTrack));
}

Track TraceWriter::stream_track(std::uint32_t device, std::uint32_t stream) {
  const std::uint64_t key = (std::uint64_t{device} << 32) | stream;
  name_device(device);
  if (named_tracks_.size() < kMaxThreads && named_tracks_.insert(key).second) {
    events_.metadata("thread_name", {device, stream}, "name", fmt::format("\"stream {}\"", stream));
    events_.metadata("thread_sort_index", {device, stream}, "sort_index",
                     fmt::format("{}", stream));
  }
  return {device, stream};
}

Track TraceWriter::thread_track(std::uint32_t index) {
  const auto found = thread_ids_.find(index);
  const std::uint64_t thread = found == thread_ids_.end() ? index : found->second;
  return {static_cast<std::uint64_t>(pid_), thread};
}

std::string_view TraceWriter::kernel_name(std::uint32_t string_id) {
  const std::uint32_t index = names_.kernel(string_id);
  if (index >= kernel_names_.size()) kernel_names_.resize(index + 1);
  std::string& name = kernel_names_[index];
  if (name.empty()) name = json_string(names_.name(index).full_name);
  return name;
}

template <typename T>
void TraceWriter::add_operation(std::string_view category, std::string_view name, const T& r,
                                std::string_view args) {
  if (!plausible_times(r.start_ns, r.end_ns) || r.device >= kMaxDevices) return;
  const auto start_ns = static_cast<std::int64_t>(r.start_ns);
  const auto end_ns = static_cast<std::int64_t>(r.end_ns);
  if (!begin(end_ns)) return;
  const Track track = stream_track(r.device, r.stream);
  events_.complete(category, name, track, start_ns, end_ns,
                   fmt::format(R"("device":{},"context":{},"stream":{},"correlation":{}{})",
                               r.device, r.context, r.stream, r.correlation_id, args));
  if (r.correlation_id != 0) events_.flow_end(r.correlation_id, track, start_ns);
}

void TraceWriter::add(const KernelRecord& r) {
  add_operation(
      "kernel", kernel_name(r.name_id), r,
      fmt::format(R"(,"registers per thread":{},"shared memory":{},"grid":[{},{},{}],)"
                  R"("block":[{},{},{}],"graph node id":{})",
                  r.registers_per_thread,
                  std::uint64_t{r.static_shared_bytes} + r.dynamic_shared_bytes, r.grid[0],
                  r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2], r.graph_node_id));
}

void TraceWriter::add(const CopyRecord& r) {
  add_operation("gpu_memcpy", copy_name(r), r, transfer_args(r.bytes, r.start_ns, r.end_ns));
}

void TraceWriter::add(const SetRecord& r) {
  add_operation("gpu_memset", set_name(r), r, transfer_args(r.bytes, r.start_ns, r.end_ns));
}

void TraceWriter::add(const GraphRecord& r) {
  add_operation("kernel", fmt::format("\"CUDA graph {}\"", r.graph_id), r, "");
}

void TraceWriter::add(const ApiCallRecord& r) {
  if (!plausible_times(r.start_ns, r.end_ns)) return;
  const auto start_ns = static_cast<std::int64_t>(r.start_ns);
  if (!begin(static_cast<std::int64_t>(r.end_ns))) return;
  const std::string_view name = api_name(static_cast<ApiId>(r.api));
  const Track track = thread_track(r.header.thread);
  events_.complete(absl::StartsWith(name, "cuda") ? "cuda_runtime" : "cuda_driver",
                   fmt::format("\"{}\"", name), track, start_ns,
                   static_cast<std::int64_t>(r.end_ns),
                   fmt::format(R"("correlation":{})", r.correlation_id));
  constexpr auto kNoRecord = kApiFailed | kApiCaptured | kApiZeroBytes;
  const bool leads = r.expects != Expects::none && (r.header.flags & kNoRecord) == 0;
  if (leads && r.correlation_id != 0) events_.flow_begin(r.correlation_id, track, start_ns);
}

void TraceWriter::add(const MarkRecord& r) {
  if (!plausible_times(r.time_ns, r.time_ns)) return;
  const auto now_ns = static_cast<std::int64_t>(r.time_ns);
  if (r.mark == MarkKind::step) {
    // Step k lies between the marks k and k + 1; readers know it by this name.
    if (last_step_ns_ != 0 && now_ns >= last_step_ns_ && begin(now_ns)) {
      events_.complete("user_annotation", fmt::format("\"ProfilerStep#{}\"", steps_),
                       thread_track(r.header.thread), last_step_ns_, now_ns, "");
    }
    steps_ += last_step_ns_ != 0 ? 1 : 0;
    last_step_ns_ = now_ns;
    return;
  }
  const auto range = ranges_.add(r);
  if (!range || !begin(now_ns)) return;
  const std::string_view name = names_.string(range->name_id);
  events_.complete("user_annotation", json_string(name.empty() ? "(no name)" : name),
                   thread_track(range->thread), range->start_ns, range->end_ns, "");
}

void TraceWriter::add(const GcRecord& r) {
  if (!plausible_times(r.start_ns, r.end_ns)) return;
  const auto end_ns = static_cast<std::int64_t>(r.end_ns);
  if (!begin(end_ns)) return;
  events_.complete("python_gc", fmt::format("\"garbage collection, generation {}\"", r.generation),
                   {static_cast<std::uint64_t>(pid_), r.os_thread_id},
                   static_cast<std::int64_t>(r.start_ns), end_ns,
                   fmt::format(R"("collected":{})", r.collected));
}

void TraceWriter::observe(const ObservedGap& gap) {
  if (!begin(gap.end_ns)) return;
  name_device(gap.device);
  const CauseSlices sums = summed(gap.causes);
  const auto largest = std::max_element(sums.begin(), sums.end(),
                                        [](const auto& a, const auto& b) { return a.ns < b.ns; });
  const Cause cause = largest == sums.end() ? Cause::unattributed : largest->cause;
  std::string args;
  if (largest != sums.end()) {
    const std::string evidence = evidence_text(largest->evidence, names_);
    if (!evidence.empty()) args = fmt::format(R"("evidence":{})", json_string(evidence));
  }
  for (const auto& [name, ns] : cause_sums(sums)) {
    args += fmt::format(R"x({}"{} (us)":{})x", args.empty() ? "" : ",", name, microseconds(ns));
  }
  events_.complete("gpu_idle", fmt::format("\"{}\"", cause_name(cause)), {gap.device, kGapTrack},
                   gap.begin_ns, gap.end_ns, args);
}

void TraceWriter::consume(const RecordHeader& h) {
  if (ended_ || h.size_bytes < sizeof(RecordHeader)) return;
  switch (h.kind) {
    case RecordKind::kernel:
      return add(record_cast<KernelRecord>(h));
    case RecordKind::copy:
      return add(record_cast<CopyRecord>(h));
    case RecordKind::set:
      return add(record_cast<SetRecord>(h));
    case RecordKind::graph:
      return add(record_cast<GraphRecord>(h));
    case RecordKind::api_call:
      return add(record_cast<ApiCallRecord>(h));
    case RecordKind::mark:
      return add(record_cast<MarkRecord>(h));
    case RecordKind::gc:
      return add(record_cast<GcRecord>(h));
    case RecordKind::string_def:
      return names_.define(record_cast<StringDefRecord>(h).id, trailing_text<StringDefRecord>(h));
    case RecordKind::meta:
      return add_meta(record_cast<MetaRecord>(h).key, trailing_text<MetaRecord>(h));
    case RecordKind::thread_info: {
      const auto r = record_cast<ThreadInfoRecord>(h);
      if (thread_ids_.size() < kMaxThreads) thread_ids_[h.thread] = r.os_thread_id;
      return;
    }
    default:
      return;
  }
}

void TraceWriter::end() {
  if (ended_) return;
  if (!begun_) {
    begun_ = true;
    events_.open(rank_, world_size_, 0);
  }
  ended_ = true;
  std::string more = fmt::format(",\n\"gapscope\": {{\"stopped_at_limit\": {}", stopped_);
  if (stopped_) {
    const std::string words = fmt::format(
        "gapscope: the trace stops here, at its limit of {} bytes (GAPSCOPE_TRACE_LIMIT)",
        file_->limit_bytes());
    events_.instant("gapscope", json_string(words), {static_cast<std::uint64_t>(pid_), 0}, last_ns_,
                    "");
    more +=
        fmt::format(", \"limit_bytes\": {}, \"stopped_at_ns\": {}", file_->limit_bytes(), last_ns_);
  }
  events_.close(more + "}");
}

absl::Status TraceWriter::close() {
  end();
  return file_->close();
}

}  // namespace gapscope::sink
