// Ranges: host time, device time and idle time of each, as a tree.
//
// Fed by the sweep, in its order (marks, then call begins, then operation begins at one instant).
// An operation belongs to the range that was innermost on its launching thread when its call was
// entered, and to all that enclose it; further to every process-wide range (range_start/range_end)
// that was open then. Each NVTX domain has its own stack a thread, and its own tree below its name.
//
// Work launched for a waiting thread (NVTX#101; autograd's backward): while a thread without an own
// range in a domain launches, its work belongs to the innermost range of a *waiting* thread:
//   - a thread waits when it has an open range, and is in no CUDA call at that moment;
//   - of several, the one whose innermost range was pushed last (ambiguous() counts these choices);
//     the choice is pinned until that range is popped;
//   - a pair whose calls alternate does not wait for each other: after kStrikes bursts of one call
//     the launching thread is on its own, until it makes kLongBurst calls in a row again. "Made no
//     call since the push" would be too strict: loss.backward() itself fills the first gradient
//     before autograd's thread starts, and one range may hold the whole step.
//   - the outermost ranges of autograd's own threads (named "pt_autograd_N"; emit_nvtx opens some)
//     are taken for children of the waiting thread's range in the same way.
// All such ranges are marked via_thread.
//
// Bounded: RangeTree, RangeHistory, kMaxDomains, kMaxThreads, kMaxStarted.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/operation.h"
#include "analysis/ranges_history.h"
#include "analysis/ranges_tree.h"
#include "record/record.h"
#include "report/report.h"

namespace gapscope {

struct RangeMark {
  std::int64_t time_ns = 0;  // not before the last event
  MarkKind mark = MarkKind::none;
  std::uint32_t thread = kNoThread;
  std::uint64_t range_id = 0;
  std::string_view name;  // of a push or start; as recorded
  std::uint32_t name_id = kNoString;
  std::string_view domain;  // empty: the default domain
  Phase phase = Phase::warmup;
  bool counted = true;  // inside GAPSCOPE_CAPTURE
  bool begins_step = false;
};

struct RangeOperation {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  // Any measure that grows with the device's idle time alone; operations of one device come with
  // ascending ones. The sweep: now - busy_ns(now) - unknown_ns(now).
  std::int64_t idle_measure_ns = 0;
  std::int64_t launch_ns = kNever;  // entry of its call, kNever if unknown
  std::uint32_t thread = kNoThread;
  std::uint8_t device = 0;
  bool kernel = false;
};

class RangeTracker {
 public:
  static constexpr std::size_t kMaxDomains = 32;
  static constexpr std::size_t kMaxThreads = 1u << 16;
  static constexpr std::size_t kMaxStarted = 256;  // open process-wide ranges, and as many ended
  static constexpr int kStrikes = 8;
  static constexpr int kLongBurst = 16;

  explicit RangeTracker(std::size_t max_transitions = RangeHistory::kMaxTransitions)
      : history_(max_transitions) {}

  void thread_name(std::uint32_t thread, std::string_view name);
  void mark(const RangeMark& mark);
  // Every CUDA call, at its entry.
  void call(std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns) {
    if (any_) take_call(thread, start_ns, end_ns);
  }
  // Every counted device operation, at its start. Never one twice.
  void operation(const RangeOperation& op) {
    if (any_) take_operation(op);
  }
  void take_back_steady();

  bool any() const { return any_; }

  // What a thread had open at a time of the recent past, in all its domains.
  struct OpenRanges {
    absl::InlinedVector<std::uint32_t, 8> name_ids;  // innermost first
    std::int64_t until_ns = kForever;                // it may change then
  };
  OpenRanges open_at(std::uint32_t thread, std::int64_t time_ns) const;

  // now_ns: up to when ranges that are still open count.
  std::vector<report::Range> report(bool steady_only, std::int64_t now_ns) const;

  std::int64_t unbalanced() const { return unbalanced_; }  // ends without a begin
  std::int64_t forgotten() const { return forgotten_; }    // operations launched too long ago
  std::int64_t ambiguous() const { return ambiguous_; }
  std::int64_t overflow() const { return overflow_ + tree_.overflow(); }  // beyond some cap
  std::size_t held() const { return history_.held() + started_.size() + ended_.size(); }

 private:
  static constexpr std::uint32_t kProcess = kNoThread;
  struct Thread {
    absl::InlinedVector<std::uint32_t, 2> tracks;
    std::int64_t call_until_ns = kNever;
    std::uint64_t calls = 0;
    std::uint64_t owner_calls = 0;  // of the waiting thread, when this one last launched for it
    int burst = 0;                  // calls since the waiting thread made one
    int strikes = 0;
    bool autograd = false;
  };
  struct Domain {
    std::uint32_t root = RangeTree::kRoot;   // node
    std::vector<std::uint32_t> tracks_open;  // with open ranges, the last pushed at the end
  };
  struct Started {
    std::uint64_t range_id;
    std::uint32_t domain;
    std::uint32_t instance;
    std::int64_t begin_ns, end_ns;
  };

  Thread* thread(std::uint32_t index);
  std::uint32_t domain(std::string_view name);
  std::uint32_t track(std::uint32_t thread, std::uint32_t domain);
  std::uint32_t find_track(const Thread& thread, std::uint32_t domain) const;
  std::uint32_t open(const RangeMark& mark, std::uint32_t domain, std::uint32_t parent,
                     bool adopted);
  void close(std::uint32_t instance, std::int64_t now_ns);
  void push(const RangeMark& mark);
  void pop(const RangeMark& mark);
  void end_former_step(std::uint32_t track_index, std::int64_t now_ns);
  void start(const RangeMark& mark);
  void end(const RangeMark& mark);
  void end_at(std::size_t index, std::int64_t now_ns);
  void take_call(std::uint32_t index, std::int64_t start_ns, std::int64_t end_ns);
  void launches_for(std::uint32_t index, std::uint32_t domain, std::int64_t now_ns);
  std::uint32_t waiting_instance(std::uint32_t index, std::uint32_t domain, std::int64_t now_ns);
  bool on_its_own(Thread& thread, const Thread& owner);
  void take_operation(const RangeOperation& op);
  void add_to(std::uint32_t instance, bool via, const RangeOperation& op);
  void add_to_started(const RangeOperation& op);

  bool any_ = false;
  RangeTree tree_;
  RangeHistory history_;
  std::vector<Thread> threads_;
  std::vector<Domain> domains_;
  absl::flat_hash_map<std::string, std::uint32_t> domain_ids_;
  std::vector<Started> started_;
  std::deque<Started> ended_;
  std::int64_t last_ended_ns_ = kNever;
  std::int64_t ended_forgotten_ns_ = kNever;
  std::int64_t unbalanced_ = 0;
  std::int64_t forgotten_ = 0;
  std::int64_t ambiguous_ = 0;
  std::int64_t overflow_ = 0;
};

}  // namespace gapscope
