// The sweep over all that is final: operations, calls and marks of all devices and threads in one
// order of time. It keeps the running state and feeds the collectors.
//
// At one instant: operations end, calls end, samples end and begin, marks, calls begin, operations
// begin. Times that lie before what has been swept are moved up to it.
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/analysis.h"
#include "analysis/attribution.h"
#include "analysis/capture.h"
#include "analysis/cpu_work.h"
#include "analysis/device_sweep.h"
#include "analysis/host_tally.h"
#include "analysis/join.h"
#include "analysis/names.h"
#include "analysis/operation.h"
#include "analysis/overlap_sweep.h"
#include "analysis/queue_full.h"
#include "analysis/ranges.h"
#include "analysis/slot_queue.h"
#include "analysis/step_sources.h"

namespace gapscope {

struct PendingMark {
  std::int64_t start_ns = 0;
  std::uint64_t range_id = 0;
  std::uint64_t order = 0;  // of arrival: a thread's marks come in its own order
  std::uint32_t name_id = kNoString;
  std::uint32_t domain_id = kNoString;
  std::uint32_t thread = kNoThread;
  MarkKind mark = MarkKind::none;
};
inline bool sweeps_before(const PendingMark& a, const PendingMark& b) {
  return a.thread != b.thread ? a.thread < b.thread : a.order < b.order;
}

class Sweep {
 public:
  Sweep(const AnalysisOptions& options, SlotQueue<Operation>& operations, SlotQueue<Call>& calls,
        SlotQueue<PendingMark>& marks, Join& join, const NameTable& names,
        const QueueFull& queue_full);

  // Sweeps everything before until_ns that is in the (settled) queues.
  void run(std::int64_t until_ns);

  // A record came whose begin has been swept: into the tables, and what is left of its time into
  // the queue. uncorrected: what has been swept of its time was not taken for unknown.
  void add_late(Operation op, std::int64_t swept_ns, bool uncorrected);
  // The record of a call that had been closed as unmatched.
  void correct(const Join::Arrival& arrival, const Operation& op);

  // The session stops recording calls then: an operation that begins later and has none was
  // launched after the end and does not count.
  void end_at(std::int64_t time_ns) { ending_ns_ = std::min(ending_ns_, time_ns); }

  // The end of the run: everything has been swept.
  void finish();

  // Where evidence goes that is neither a call nor an operation.
  HostEvidence& evidence() { return evidence_; }
  void add_sample(const RecordHeader& header);  // a ThreadSampleRecord with its frames
  const HostEvidence& evidence() const { return evidence_; }

  const DeviceSweep* device(std::uint32_t ordinal) const { return devices_[ordinal].get(); }
  const HostTally& host(Phase phase) const { return host_[static_cast<int>(phase)]; }
  const OverlapSweep& overlap() const { return overlap_; }
  // What was counted as CPU work, for people.
  const char* cpu_basis() const {
    return cpu_work_.sampled() ? "CUDA calls and sampled threads" : "CUDA calls only";
  }
  const StepSources& steps() const { return steps_; }
  std::int64_t first_device() const { return first_device_; }  // -1 if none was seen
  RangeTracker& ranges() { return ranges_; }
  const RangeTracker& ranges() const { return ranges_; }
  std::int64_t now_ns() const { return now_ns_; }
  std::int64_t outside() const { return outside_; }
  // Time of late operations that stays summed up without them.
  std::int64_t late_ns() const { return late_ns_; }
  std::int64_t overflow() const;
  std::size_t held() const;  // entries in the sweep's own tables

 private:
  struct ActiveOperation {
    std::int64_t end_ns;
    std::uint64_t order;
    std::uint32_t slot;
  };
  struct ActiveCall {
    std::int64_t end_ns;
    std::uint64_t order;
    std::int64_t start_ns, total_ns, busy_before_ns, unknown_before_ns;
    std::uint32_t stream_key, context;
    ApiId api;
    Phase phase;
    std::int8_t device;  // -1: all together
    std::uint32_t thread;
    bool counted, waits;
    bool synchronises;
    bool drains;  // at its end, its stream or context had finished what was launched before it
  };

  void sweep_until(std::int64_t until_ns);
  DeviceSweep& device_of(const Operation& op);
  int find_device(std::uint32_t context) const;
  int device_of_context(std::uint32_t context) const {
    return context_known_ && context == last_context_ ? last_context_device_ : find_device(context);
  }
  void start_operation();
  void count_in_ranges(const Operation& op, const DeviceSweep& device);
  bool optimiser(const Operation& op) const { return op.is_kernel() && names_.optimiser(op.name); }
  void end_operation();
  void start_call();
  void end_call();
  void take_sample();
  void take_mark();
  void take_range_mark(const PendingMark& mark);
  void take_back_steady();
  void classify(Operation& op);
  Phase phase_of(std::int64_t launch_ns) const {
    return launch_ns >= steps_.steady_since_ns() ? Phase::steady : Phase::warmup;
  }
  bool waits(const Call& call) const;
  void open_unknown(const Call& call);
  void shown_drained(const ActiveCall& call);
  void add_wait(const ActiveCall& call);
  template <typename Change>
  void change_device(DeviceSweep& device, Change&& change);

  std::size_t max_kernel_names_;
  GapObserver* gap_observer_;
  SlotQueue<Operation>& operations_;
  SlotQueue<Call>& calls_;
  SlotQueue<PendingMark>& marks_;
  Join& join_;
  const NameTable& names_;
  const QueueFull& queue_full_;

  HostEvidence evidence_;
  Attribution attribution_;
  Capture capture_;
  StepSources steps_;
  RangeTracker ranges_;
  OverlapSweep overlap_;
  CpuWork cpu_work_;
  std::array<std::unique_ptr<DeviceSweep>, kMaxDevices> devices_;
  std::int64_t first_device_ = -1;  // which stands for all where steps are told apart by idle time
  std::array<HostTally, kPhases> host_;
  absl::flat_hash_map<std::uint32_t, std::uint8_t> context_devices_;
  std::uint32_t last_context_ = 0;
  bool context_known_ = false;
  int last_context_device_ = -1;
  std::vector<ActiveOperation> active_operations_;  // heap, earliest end first
  std::vector<ActiveCall> active_calls_;            // likewise
  std::uint64_t order_ = 0;
  std::int64_t now_ns_ = 0;
  std::int64_t ending_ns_ = kForever;
  std::int64_t outside_ = 0;
  std::int64_t late_ns_ = 0;
  std::int64_t overflow_ = 0;
};

}  // namespace gapscope
