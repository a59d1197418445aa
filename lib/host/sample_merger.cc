#include "host/sample_merger.h"

#include <algorithm>
#include <cstring>

namespace gapscope {
namespace {

bool mostly_ran(const ThreadSampleRecord& s) { return 2 * s.on_cpu_ns >= s.end_ns - s.begin_ns; }

const RecordHeader& header_of(const std::vector<std::uint64_t>& record) {
  return *reinterpret_cast<const RecordHeader*>(record.data());
}

}  // namespace

// Everything but the times must be alike, byte for byte.
bool SampleMerger::merge(ThreadSampleRecord& into, const Bytes& held, const RecordHeader& next) {
  const RecordHeader& first = header_of(held);
  if (first.size_bytes != next.size_bytes) return false;
  auto a = record_cast<ThreadSampleRecord>(first);
  const auto b = record_cast<ThreadSampleRecord>(next);
  const std::size_t frames = first.size_bytes - sizeof(a);
  if (a.end_ns != b.begin_ns || b.end_ns - a.begin_ns > kMaxNs || mostly_ran(a) != mostly_ran(b) ||
      (a.runnable_ns == 0) != (b.runnable_ns == 0) ||
      std::memcmp(reinterpret_cast<const char*>(&first) + sizeof(a),
                  reinterpret_cast<const char*>(&next) + sizeof(a), frames) != 0) {
    return false;
  }
  into = a;
  into.end_ns = b.end_ns;
  into.on_cpu_ns += b.on_cpu_ns;
  into.runnable_ns += b.runnable_ns;
  // With the times made alike, what remains must be.
  a.begin_ns = b.begin_ns;
  a.end_ns = b.end_ns;
  a.on_cpu_ns = b.on_cpu_ns;
  a.runnable_ns = b.runnable_ns;
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

void SampleMerger::add(const RecordHeader& sample, RecordSink& sink) {
  const std::uint32_t tid = record_cast<ThreadSampleRecord>(sample).os_thread_id;
  auto held = std::find_if(held_.begin(), held_.end(),
                           [tid](const Held& entry) { return entry.os_tid == tid; });
  if (held == held_.end()) {
    held_.push_back({tid, {}});
    held = held_.end() - 1;
  } else if (ThreadSampleRecord merged; merge(merged, held->record, sample)) {
    std::memcpy(held->record.data(), &merged, sizeof(merged));
    return;
  } else {
    sink.consume(header_of(held->record));
  }
  held->record.resize(sample.size_bytes / 8);
  std::memcpy(held->record.data(), &sample, sample.size_bytes);
}

void SampleMerger::flush(RecordSink& sink) {
  for (const Held& held : held_) sink.consume(header_of(held.record));
  held_.clear();
}

}  // namespace gapscope
