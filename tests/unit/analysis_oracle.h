// What analysis must find, computed the slow way: everything is stored and every elementary
// interval between two boundaries is looked at against all operations. Written from the
// definitions, sharing nothing with lib/analysis but the record types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/api.h"
#include "record/record.h"

namespace gapscope::test {

using Interval = std::pair<std::int64_t, std::int64_t>;  // [first, second)

struct TrueCall {
  ApiCallRecord record;
  bool delivered = true;
};

struct TrueOperation {
  RecordKind kind = RecordKind::kernel;
  std::uint32_t name_id = 1;  // 3: communication
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint32_t id = 0, device = 0, context = 0, stream = 0, graph_id = 0;
  int call = -1;  // index into calls, -1: launched by the device
  bool delivered = true;
};

struct QueueFullTime {
  std::uint32_t thread;
  std::int64_t start_ns, end_ns;
};

// All that happened, and what of it reached analysis.
struct TrueRun {
  std::vector<TrueCall> calls;
  std::vector<TrueOperation> operations;
  std::vector<MarkRecord> marks;
  std::vector<QueueFullTime> queue_full;
};

// Which launches count: capture ranges in order, empty for all; since: only later ones (steady).
struct Selection {
  std::optional<std::vector<Interval>> ranges;
  std::int64_t since_ns = INT64_MIN;
  int range_at(std::int64_t time_ns) const;
};

struct OracleDevice {
  std::int64_t window = 0, compute = 0, comm_exposed = 0, copy_only = 0, idle = 0, unknown = 0;
  std::int64_t spacing = 0, launch_bound = 0, copy = 0, copy_overlap = 0, comm = 0,
               comm_overlap = 0;
  std::int64_t operations = 0, kernel_sum = 0, first = 0, last = 0;
  std::vector<std::int64_t> gaps;                                          // lengths, longest first
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> kernels;  // name: count, total
  std::map<std::uint32_t, std::int64_t> alone;                             // name
  std::int64_t copies = 0, hidden = 0, copied_bytes = 0;
};

struct OracleCalls {
  std::int64_t count = 0, total = 0, blocking = 0, failed = 0, captured = 0;
  std::int64_t waits = 0, wait_busy = 0, wait_idle = 0;
};

struct OracleReport {
  std::map<std::uint32_t, OracleDevice> devices;
  std::map<std::string, OracleCalls> calls;
  std::int64_t both = 0, gpu_only = 0, cpu_only = 0, neither = 0;
  std::int64_t seen = 0, unmatched = 0, orphaned = 0, outside = 0;
};

OracleReport oracle(const TrueRun& run, const Selection& selection);

}  // namespace gapscope::test
