// What analysis holds of one device operation and of one CUDA call until their time is final.
#pragma once

#include <cstdint>
#include <limits>

#include "analysis/gap_stats.h"
#include "record/api.h"
#include "record/record.h"

namespace gapscope {

inline constexpr std::uint32_t kNoSlot = 0xffffffffu;
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

// Bounds on what is believed of a record: beyond them sums could overflow.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 62;
inline constexpr std::int64_t kMaxDurationNs = std::int64_t{1} << 47;  // 39 hours
inline constexpr std::uint32_t kMaxDevices = 64;
inline constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 44;  // 16 TiB in one operation

constexpr bool plausible_times(std::uint64_t start_ns, std::uint64_t end_ns) {
  return start_ns <= end_ns && end_ns < static_cast<std::uint64_t>(kMaxTimeNs) &&
         end_ns - start_ns <= static_cast<std::uint64_t>(kMaxDurationNs);
}

// Sums of times that only hostile records could make overflow stay at the largest believable one.
// ns is not negative.
inline void add_capped(std::int64_t& sum_ns, std::int64_t ns) {
  sum_ns = sum_ns > kMaxTimeNs - ns ? kMaxTimeNs : sum_ns + ns;
}

// What an operation takes from the call that announced it.
struct Launch {
  std::int64_t start_ns = kNever;   // the call's entry; kNever: no call is known
  std::int64_t queued_ns = kNever;  // from then on the operation waits for the device alone
  std::uint32_t thread = kNoThread;
  std::uint32_t stream_key = kNoSlot;  // see StreamTable
  bool known() const { return start_ns != kNever; }
};

enum class OperationClass : std::uint8_t { compute, communication, copy };

// Which accumulators something belongs to: DeviceTally and HostTally come in two sets, and the
// whole run is both together.
enum class Phase : std::uint8_t { warmup, steady };
inline constexpr int kPhases = 2;

struct Operation {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  Launch launch;
  std::uint64_t bytes = 0;  // copies and sets
  std::uint32_t correlation_id = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t name = 0;  // NameTable index; kernels and graphs
  std::uint32_t graph_id = 0;
  // Join: operations that wait for their call, by correlation id.
  std::uint32_t next_waiting = kNoSlot;
  std::uint32_t previous_waiting = kNoSlot;
  std::uint32_t place = 0;  // among its device's active operations
  std::uint32_t shared_bytes = 0;
  std::uint32_t grid[3] = {0, 0, 0};
  std::uint16_t block[3] = {0, 0, 0};
  std::uint16_t registers_per_thread = 0;
  std::uint16_t blocks_per_device = 0;  // of this launch, at one time; 0 if not known
  std::uint8_t blocks_per_sm = 0;
  std::uint8_t occupancy_limits = 0;  // OccupancyLimits
  std::int64_t kernel_ns_before = 0;  // DeviceSweep: kernel time when it began
  std::uint8_t device = 0;
  RecordKind kind = RecordKind::none;
  OperationClass op_class = OperationClass::compute;
  std::uint8_t copy_key = 0;  // see copy_key()
  Phase phase = Phase::warmup;
  bool counted = false;  // inside GAPSCOPE_CAPTURE
  bool tabled = false;   // a late one, already in the tables
  bool waiting = false;  // linked by correlation id
  bool dead = false;     // found invalid while it waited

  bool is_kernel() const { return kind == RecordKind::kernel || kind == RecordKind::graph; }
  std::int64_t duration_ns() const { return end_ns - start_ns; }
};

// Copies are told apart by direction and memory kinds, sets by memory kind.
inline constexpr int kMemoryKinds = 6;
inline constexpr int kDirections = 6;
inline constexpr int kCopyKeys = (kDirections + 1) * kMemoryKinds * kMemoryKinds;
constexpr std::uint8_t copy_key(CopyDirection direction, MemoryKind from, MemoryKind to) {
  return static_cast<std::uint8_t>(
      (static_cast<int>(direction) * kMemoryKinds + static_cast<int>(from)) * kMemoryKinds +
      static_cast<int>(to));
}
constexpr std::uint8_t set_key(MemoryKind memory) {
  return static_cast<std::uint8_t>(kDirections * kMemoryKinds * kMemoryKinds +
                                   static_cast<int>(memory));
}
constexpr bool is_set_key(int key) { return key >= kDirections * kMemoryKinds * kMemoryKinds; }

inline OperationRef reference(const Operation& op) {
  OperationRef ref;
  ref.kind = op.kind;
  ref.name = op.name + 1;  // 0 is kNoString
  if (op.kind == RecordKind::copy) {
    ref.direction = static_cast<CopyDirection>(op.copy_key / (kMemoryKinds * kMemoryKinds));
  }
  return ref;
}

enum class CallState : std::uint8_t {
  settled,   // nothing (more) is expected
  open,      // its device record is still to come
  unmatched  // closed although no record with times came: it may have run at any time since
};

struct Call {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t own_end_ns = kNever;  // of its last operation seen
  std::int64_t held_up_ns = kNever;  // tick time since which it holds up the watermark
  std::uint64_t bytes = 0;
  std::uint32_t correlation_id = 0;
  std::uint32_t context = 0;
  std::uint32_t thread = kNoThread;
  std::uint32_t stream_key = kNoSlot;
  std::uint32_t matched = 0;   // operations seen
  std::uint32_t untimed = 0;   // of its operations: records without usable times
  std::uint32_t graph_id = 0;  // of the operations seen
  ApiId api = ApiId::unknown;
  ApiCategory category = ApiCategory::other;
  Expects expects = Expects::none;
  CallState state = CallState::settled;
  std::uint8_t flags = 0;  // ApiFlags
  bool may_run = false;    // an untimed record had no end at all

  bool failed() const { return (flags & kApiFailed) != 0; }
  bool captured() const { return (flags & kApiCaptured) != 0; }
};

// Whether what was launched at that time was surely put behind the call's operation, if into the
// same stream.
inline bool later_than(const Call& call, std::int64_t launch_ns) {
  return launch_ns >= call.end_ns && launch_ns > call.start_ns;
}

// Deterministic orders, whatever the order of arrival.
inline bool sweeps_before(const Operation& a, const Operation& b) {
  if (a.end_ns != b.end_ns) return a.end_ns < b.end_ns;
  if (a.correlation_id != b.correlation_id) return a.correlation_id < b.correlation_id;
  if (a.device != b.device) return a.device < b.device;
  if (a.stream != b.stream) return a.stream < b.stream;
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.name != b.name) return a.name < b.name;
  return a.bytes < b.bytes;
}
inline bool sweeps_before(const Call& a, const Call& b) {
  if (a.end_ns != b.end_ns) return a.end_ns < b.end_ns;
  if (a.thread != b.thread) return a.thread < b.thread;
  if (a.correlation_id != b.correlation_id) return a.correlation_id < b.correlation_id;
  return a.api < b.api;
}

}  // namespace gapscope
