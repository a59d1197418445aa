// The record stream as a trace that Perfetto's UI, HolisticTraceAnalysis and TensorBoard read: the
// dialect of PyTorch's profiler, with the idle gaps and their causes as a track of each device.
//
// Streamed: a record is written when it comes, so memory does not grow with the run, and events are
// in no order of time (readers sort). What a late record corrects is not corrected in the trace. At
// the size limit the trace ends with an event that says so. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "analysis/gap_observer.h"
#include "analysis/names.h"
#include "record/record.h"
#include "sink/trace_events.h"
#include "sink/trace_file.h"
#include "sink/trace_ranges.h"

namespace gapscope::sink {

class TraceWriter final : public RecordSink, public GapObserver {
 public:
  // Replaces an existing file. Errors name the path. A name that ends in ".gz" is compressed.
  static absl::StatusOr<std::unique_ptr<TraceWriter>> open(const std::string& path,
                                                           std::uint64_t limit_bytes);

  void consume(const RecordHeader& record) override;
  void observe(const ObservedGap& gap) override;

  absl::Status close();  // ends the file; idempotent; the first error of all writes
  bool stopped() const { return stopped_; }  // at the limit
  std::uint64_t limit_bytes() const { return file_->limit_bytes(); }

 private:
  static constexpr std::size_t kMaxThreads = 1u << 16;
  static constexpr std::uint64_t kGapTrack = 1'000'000;  // beside streams, whose numbers are small
  static constexpr std::uint32_t kMaxDevices = 64;

  explicit TraceWriter(std::unique_ptr<TraceFile> file);
  bool begin(std::int64_t time_ns);
  void add_meta(MetaKey key, std::string_view text);
  void add(const KernelRecord& r);
  void add(const CopyRecord& r);
  void add(const SetRecord& r);
  void add(const GraphRecord& r);
  void add(const ApiCallRecord& r);
  void add(const MarkRecord& r);
  void add(const GcRecord& r);
  template <typename T>
  void add_operation(std::string_view category, std::string_view name, const T& r,
                     std::string_view args);
  Track stream_track(std::uint32_t device, std::uint32_t stream);
  Track thread_track(std::uint32_t index);
  std::string_view kernel_name(std::uint32_t string_id);
  void name_device(std::uint32_t device);
  void end();

  std::unique_ptr<TraceFile> file_;
  TraceEvents events_;
  NameTable names_;
  std::vector<std::string> kernel_names_;  // as JSON strings, by index; "" not made yet
  absl::flat_hash_map<std::uint32_t, std::uint32_t> thread_ids_;  // by thread index: gettid()
  absl::flat_hash_set<std::uint64_t> named_tracks_;
  std::vector<bool> named_devices_;
  TraceRanges ranges_;
  std::string command_;
  std::int64_t pid_ = 0;
  std::int64_t rank_ = 0;
  std::int64_t world_size_ = 1;
  std::int64_t last_ns_ = 0;  // end of the latest event
  std::int64_t last_step_ns_ = 0;
  std::int64_t steps_ = 0;
  bool begun_ = false;
  bool stopped_ = false;
  bool ended_ = false;
};

}  // namespace gapscope::sink
