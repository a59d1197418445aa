// Ranges that a program opened and closed: from their marks to intervals. Not thread-safe.
//
// Bounded: kMaxThreads threads, kMaxDepth open ranges of one, kMaxStarted process-wide ones. Beyond
// that a range is left out, and its end closes nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/record.h"

namespace gapscope::sink {

struct TraceRange {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t name_id;
  std::uint32_t thread;  // that opened it
};

class TraceRanges {
 public:
  static constexpr std::size_t kMaxThreads = 4096;
  static constexpr std::size_t kMaxDepth = 256;
  static constexpr std::size_t kMaxStarted = 4096;

  // The range that this mark closes, if it closes one.
  std::optional<TraceRange> add(const MarkRecord& mark);

 private:
  struct Open {
    std::int64_t start_ns;
    std::uint32_t name_id;
    std::uint32_t thread;
  };
  struct Stack {
    std::vector<Open> open;
    std::size_t beyond = 0;  // open ranges that are not kept
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // thread, domain: each has its own stack
  absl::flat_hash_map<Key, Stack> stacks_;
  absl::flat_hash_map<std::uint64_t, Open> started_;
};

}  // namespace gapscope::sink
