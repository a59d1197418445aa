// What is summed up about one device in one phase: times, kernels, copies, gaps.
//
// Bounded: one entry a kernel name (capped by the caller), a copy key, a stream (kMaxStreams).
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/cause_tally.h"
#include "analysis/gap_stats.h"
#include "analysis/histogram.h"
#include "analysis/occupancy_tally.h"
#include "analysis/operation.h"
#include "analysis/segment.h"

namespace gapscope {

struct KernelTally {
  Histogram time;
  std::int64_t alone_ns = 0;
  std::int64_t latest_ns = kNever;  // start of the launch that the following is of
  std::uint32_t grid[3] = {0, 0, 0};
  std::uint16_t block[3] = {0, 0, 0};
  std::uint16_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;
  OccupancyTally occupancy;
};

struct CopyTally {
  Histogram time;
  std::int64_t bytes = 0;
  std::int64_t hidden_ns = 0;
};

class DeviceTally {
 public:
  static constexpr std::size_t kMaxStreams = 4096;
  static constexpr std::size_t kRecentStreams = 8;

  // An operation, once; name: its entry in the kernel table.
  void add_operation(const Operation& op, std::uint32_t name);
  void add_alone(std::uint32_t name, std::int64_t ns) { kernel(name).alone_ns += ns; }
  void add_hidden(std::uint8_t key, std::int64_t ns) { copies_[slot_of_copy(key)].hidden_ns += ns; }
  void add(const Segment& segment);

  // A late record: time that was unknown turns out to be of op's class, or idle.
  void correct_busy(OperationClass op_class, std::int64_t ns);
  void correct_idle(const Segment& segment);

  // A counted operation begins while this phase goes on.
  void began(std::int64_t start_ns) {
    if (first_op_ns_ == kNever) first_op_ns_ = start_ns;
    if (start_ns > last_op_ns_) last_op_ns_ = start_ns;
  }
  void merge(const DeviceTally& later);

  struct StreamUse {
    std::uint64_t key = 0;  // context, stream
    std::int64_t kernels = 0;
    absl::InlinedVector<std::pair<std::uint8_t, std::int64_t>, 2> copies;  // key, count
  };
  struct Sums {
    report::TimeSplit time;
    std::int64_t spacing_ns = 0, launch_bound_ns = 0;
    std::int64_t copy_ns = 0, copy_overlap_ns = 0;
    std::int64_t comm_ns = 0, comm_overlap_ns = 0;
    std::int64_t graph_granular_ns = 0;
    std::int64_t operations = 0;
  };

  const Sums& sums() const { return sums_; }
  const GapStats& gaps() const { return gaps_; }
  const CauseTally& causes() const { return causes_; }
  std::int64_t first_op_ns() const { return first_op_ns_; }
  std::int64_t last_op_ns() const { return last_op_ns_; }
  std::size_t streams() const { return stream_uses_.size(); }
  const std::vector<StreamUse>& stream_uses() const { return stream_uses_; }
  // f(name index, KernelTally) and f(copy key, CopyTally), in ascending order.
  template <typename F>
  void for_each_kernel(F&& f) const {
    for (std::uint32_t name = 0; name < kernel_slots_.size(); ++name) {
      if (kernel_slots_[name] != 0) f(name, kernels_[kernel_slots_[name] - 1]);
    }
  }
  template <typename F>
  void for_each_copy(F&& f) const {
    for (int key = 0; key < static_cast<int>(copy_slots_.size()); ++key) {
      if (copy_slots_[key] != 0) {
        f(static_cast<std::uint8_t>(key), copies_[copy_slots_[key] - 1u]);
      }
    }
  }

 private:
  KernelTally& kernel(std::uint32_t name);
  std::size_t slot_of_copy(std::uint8_t key);
  // nullptr beyond kMaxStreams. Valid until the next stream is seen.
  StreamUse* stream(std::uint64_t key);
  void add_idle(const Segment& segment);
  void add_kernel(const Operation& op, std::uint32_t name);

  Sums sums_;
  GapStats gaps_;
  CauseTally causes_;
  std::int64_t first_op_ns_ = kNever;
  std::int64_t last_op_ns_ = kNever;
  std::vector<std::uint32_t> kernel_slots_;  // by name index: 1 + index into kernels_, 0 if none
  std::vector<KernelTally> kernels_;
  std::vector<std::uint8_t> copy_slots_;  // by copy key, likewise
  std::vector<CopyTally> copies_;
  std::vector<StreamUse> stream_uses_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> stream_slots_;  // by key: index of its use
  // By the lowest bits of the key: indices of uses that were asked for last.
  std::uint32_t recent_streams_[kRecentStreams] = {};
};

}  // namespace gapscope
