// When the launch queue of a thread was full (COMMAND_BUFFER_FULL overhead): calls that overlap
// such a time waited for the device.
//
// Bounded: kMaxThreads threads with kMaxIntervals intervals each, the oldest going first.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "record/record.h"

namespace gapscope {

class QueueFull {
 public:
  static constexpr std::size_t kMaxThreads = 4096;
  static constexpr std::size_t kMaxIntervals = 4096;

  void add_thread(const ThreadInfoRecord& record);
  void add(const OverheadRecord& record);
  // Whether a call of that thread overlaps such a time.
  bool overlaps(std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns) const;
  // What ended before that time is not asked for any more.
  void forget_before(std::int64_t time_ns);

 private:
  struct Interval {
    std::int64_t start_ns, end_ns;
    std::int64_t reach_ns;  // the latest end up to here
  };
  static constexpr std::int64_t kUnknown = -1;  // no end
  using Intervals = std::deque<Interval>;       // by start
  static void insert(Intervals& to, std::int64_t start_ns, std::int64_t end_ns);
  static void extend(Intervals& intervals, std::size_t from);
  static bool overlaps(const Intervals& intervals, std::int64_t start_ns, std::int64_t end_ns);

  absl::flat_hash_map<std::uint32_t, std::uint32_t> os_threads_;  // thread index -> gettid()
  absl::flat_hash_map<std::uint32_t, Intervals> by_os_thread_;
  absl::flat_hash_map<std::uint32_t, Intervals> by_thread_;  // where CUPTI's id was mapped
};

}  // namespace gapscope
