// The two-sided join of calls and device operations on CUPTI's correlation id.
//
// Either side may come first. An id is 32 bits and wraps, so a match needs the same context and
// plausible times as well. Every call that announces a record is `open` until the record comes or
// the call is closed by the rules of may_pass(); closed calls and operations that were swept
// without a call are remembered for a while (kRemembered), so that a late partner corrects the
// counts. A record without usable times ends the wait for one with times, and no more than that.
//
// Bounded by the two queues (see AnalysisOptions::max_pending) and kRemembered.
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/id_map.h"
#include "analysis/operation.h"
#include "analysis/recent.h"
#include "analysis/slot_queue.h"
#include "analysis/streams.h"

namespace gapscope {

// A call that was closed before it had all its records.
struct ClosedCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t context = 0;
  std::uint32_t thread = kNoThread;
  std::uint32_t stream_key = kNoSlot;
  ApiCategory category = ApiCategory::other;
  Expects expects = Expects::none;
  bool unmatched = false;  // counted as such
};

class Join {
 public:
  static constexpr std::size_t kRemembered = 1u << 16;
  // Device times are converted linearly: a start this much before the call's entry is still its.
  static constexpr std::int64_t kSkewNs = 1'000'000;
  // Earlier still, the times are wrong; this much earlier, it is another launch with the same id.
  static constexpr std::int64_t kOtherLaunchNs = 60'000'000'000;

  Join(SlotQueue<Operation>& operations, SlotQueue<Call>& calls)
      : operations_(operations), calls_(calls) {}

  void add_call(const ApiCallRecord& record);

  struct Arrival {
    bool valid = true;           // false: it cannot be, keep it out
    bool corrects = false;       // its call had been closed as unmatched: see call
    bool corrects_whole = true;  // nothing more is expected of that call
    ClosedCall call;
  };
  // Gives op its launch where the call is known.
  Arrival meet(Operation& op);
  // The record of an operation came without usable times.
  void meet(const UntimedRecord& record);
  // op is now in the queue at that slot and waits for its call.
  void wait_for_call(std::uint32_t operation_slot);
  // The operation is being swept: from now on its call is taken for lost.
  void stop_waiting(std::uint32_t operation_slot);
  // The same for an operation that never was in the queue.
  void orphan(const Operation& op);

  // Whether time may be finalised past that call's entry. Closes it when a rule says so; pressed:
  // memory is short.
  bool may_pass(std::uint32_t call_slot, const TickClock& clock, bool pressed);
  // Closes a call whatever is outstanding.
  void close(std::uint32_t call_slot);

  // Calls whose record is expected; a graph launch does not count any more once its stream has been
  // synchronised and flushed since.
  std::size_t outstanding(const TickClock& clock);

  StreamTable& streams() { return streams_; }
  std::int64_t unmatched() const { return unmatched_; }
  std::int64_t orphaned() const { return orphaned_; }
  // Operations that were handed in and cannot be.
  std::int64_t invalid() const { return invalid_; }
  // Untimed ones: of operations that are over, and of those that were still running at the end.
  std::int64_t untimed() const { return untimed_; }
  std::int64_t incomplete() const { return incomplete_; }
  // Operations that graph launches left out though nearly all launches of their graph had them.
  std::int64_t missing_nodes() const;
  std::size_t held() const {
    return open_calls_.size() + waiting_.size() + closed_.size() + orphans_.size() +
           graph_sizes_.size() + streams_.size() + early_untimed_.size();
  }

 private:
  struct Waiting {
    std::uint32_t first = kNoSlot, last = kNoSlot;
  };
  struct Orphan {
    std::int64_t start_ns;
    std::uint32_t context;
  };
  struct EarlyUntimed {  // came before their call
    std::uint32_t context;
    std::uint32_t count;
    bool may_run;
  };
  struct GraphSize {
    std::uint32_t operations = 0;  // most of one launch
    std::int64_t whole = 0;        // launches with as many
    std::int64_t shorter = 0;      // and with fewer
    std::int64_t missing = 0;      // how many fewer, of all those
    void add(std::uint32_t count);
  };
  enum class Fit : std::uint8_t { yes, invalid, other };

  static Fit fit(std::int64_t op_start_ns, std::uint32_t op_context, std::int64_t call_start_ns,
                 std::uint32_t call_context);
  static void attach(Operation& op, const ClosedCall& call);
  void matched(Call& call, const Operation& op);
  void take_waiting(Call& call);
  bool take_orphan(const Call& call);
  void unlink(std::uint32_t operation_slot);
  void add_untimed(Call& call, std::uint32_t count, bool may_run);
  void take_early_untimed(Call& call);
  void count_untimed(const Call& call);
  void settle(Call& call);
  void remember(const Call& call, bool unmatched);
  bool may_pass_many(Call& call, const TickClock& clock);
  bool may_pass_maybe(Call& call, const TickClock& clock);
  std::int64_t first_open_ns(std::int64_t after_ns, const TickClock& clock);
  bool may_be_withheld(const Call& call, const TickClock& clock);
  Arrival meet_closed(Operation& op);
  void synchronised(const Call& call);

  SlotQueue<Operation>& operations_;
  SlotQueue<Call>& calls_;
  StreamTable streams_;
  IdMap<std::uint32_t> open_calls_;  // slots
  IdMap<Waiting> waiting_;           // chains of operations
  RecentMap<ClosedCall> closed_{kRemembered};
  RecentMap<Orphan> orphans_{kRemembered};
  RecentMap<EarlyUntimed> early_untimed_{kRemembered};
  absl::flat_hash_map<std::uint32_t, GraphSize> graph_sizes_;
  absl::flat_hash_set<std::uint32_t> open_graph_launches_;  // slots
  std::int64_t running_looked_ns_ = kNever;  // tick time for which the next one holds
  std::int64_t running_since_ns_ = kNever;   // entry of the latest launch that may run for long now
  std::int64_t open_looked_ns_ = kNever;     // tick time for which the next one holds
  std::int64_t first_open_ns_ = kForever;
  std::size_t open_maybe_ = 0;
  std::size_t open_untimed_ = 0;  // open only until it is known whether the operation is over
  std::int64_t unmatched_ = 0;
  std::int64_t orphaned_ = 0;
  std::int64_t invalid_ = 0;
  std::int64_t untimed_ = 0;
  std::int64_t incomplete_ = 0;
};

}  // namespace gapscope
