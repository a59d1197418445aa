#include "analysis/join.h"

#include <algorithm>

namespace gapscope {
namespace {

constexpr std::size_t kMaxGraphSizes = 4096;

ClosedCall closed_call(const Call& call) {
  ClosedCall closed;
  closed.start_ns = call.start_ns;
  closed.end_ns = call.end_ns;
  closed.context = call.context;
  closed.thread = call.thread;
  closed.stream_key = call.stream_key;
  closed.category = call.category;
  closed.expects = call.expects;
  return closed;
}

}  // namespace

Join::Fit Join::fit(std::int64_t op_start_ns, std::uint32_t op_context, std::int64_t call_start_ns,
                    std::uint32_t call_context) {
  if (op_context != call_context && op_context != 0 && call_context != 0) return Fit::other;
  const std::int64_t early_ns = call_start_ns - op_start_ns;
  if (early_ns <= kSkewNs) return Fit::yes;
  return early_ns > kOtherLaunchNs ? Fit::other : Fit::invalid;
}

void Join::attach(Operation& op, const ClosedCall& call) {
  const bool blocked = (call.category == ApiCategory::copy || call.category == ApiCategory::set) &&
                       op.end_ns <= call.end_ns;
  op.launch = {call.start_ns, blocked ? call.start_ns : call.end_ns, call.thread, call.stream_key};
}

void Join::matched(Call& call, const Operation& op) {
  call.own_end_ns = std::max(call.own_end_ns, op.end_ns);
  call.held_up_ns = kNever;
  call.graph_id = op.graph_id;
  ++call.matched;
  streams_.reached(call.stream_key, call.start_ns, op.end_ns);
}

void Join::add_call(const ApiCallRecord& record) {
  Call call;
  call.start_ns = static_cast<std::int64_t>(record.start_ns);
  call.end_ns = static_cast<std::int64_t>(record.end_ns);
  call.bytes = record.bytes;
  call.correlation_id = record.correlation_id;
  call.context = record.context;
  call.thread = record.header.thread;
  call.api = record.api < static_cast<std::uint16_t>(ApiId::count_) ? static_cast<ApiId>(record.api)
                                                                    : ApiId::unknown;
  call.category = record.category < ApiCategory::count_ ? record.category : ApiCategory::other;
  call.expects = record.expects <= Expects::many ? record.expects : Expects::none;
  call.flags = record.header.flags;
  const bool none = (call.flags & (kApiFailed | kApiCaptured | kApiZeroBytes)) != 0;
  if (none) call.expects = Expects::none;
  if (call.expects != Expects::none || call.category == ApiCategory::sync) {
    call.stream_key = streams_.key(call.context, record.stream_handle, call.thread);
  }
  if (call.category == ApiCategory::sync && !none) synchronised(call);
  if (call.expects != Expects::none) {
    call.state = CallState::open;
    take_waiting(call);
    if (call.state == CallState::open && take_orphan(call)) call.state = CallState::settled;
  }
  const bool open = call.state == CallState::open;
  const std::uint32_t slot = calls_.add(call);
  if (!open) return;
  // An open call with the same id is from before the id wrapped: its record will not come.
  const std::uint32_t* before = open_calls_.find(call.correlation_id);
  if (before != nullptr) close(*before);
  open_calls_[call.correlation_id] = slot;
  if (call.expects == Expects::many) open_graph_launches_.insert(slot);
  if (call.expects == Expects::maybe) ++open_maybe_;
  if (early_untimed_.size() > 0) take_early_untimed(calls_[slot]);
}

void Join::synchronised(const Call& call) {
  if (call.api == ApiId::context_synchronize) {
    streams_.context_synchronised(call.context, call.start_ns, call.end_ns);
  } else if (call.api == ApiId::stream_synchronize) {
    streams_.synchronised(call.stream_key, call.start_ns, call.end_ns);
  }
}

// Matches operations that came before their call.
void Join::take_waiting(Call& call) {
  if (waiting_.empty()) return;
  const Waiting* chain = waiting_.find(call.correlation_id);
  if (chain == nullptr) return;
  std::uint32_t slot = chain->first;
  while (slot != kNoSlot) {
    Operation& op = operations_[slot];
    const std::uint32_t next = op.next_waiting;
    const Fit fits = fit(op.start_ns, op.context, call.start_ns, call.context);
    if (fits != Fit::other) {
      unlink(slot);
      if (fits == Fit::invalid) {
        op.dead = true;
        ++invalid_;
      } else {
        attach(op, closed_call(call));
        matched(call, op);
      }
      if (call.expects != Expects::many) {
        call.state = CallState::settled;
        return;
      }
    }
    slot = next;
  }
}

// An operation was swept as an orphan because it began (by a skewed clock) before its call.
bool Join::take_orphan(const Call& call) {
  const Orphan* orphan = orphans_.find(call.correlation_id);
  if (orphan == nullptr || call.expects == Expects::many) return false;
  if (fit(orphan->start_ns, orphan->context, call.start_ns, call.context) == Fit::other) {
    return false;
  }
  --orphaned_;
  orphans_.erase(call.correlation_id);
  return true;
}

Join::Arrival Join::meet(Operation& op) {
  const std::uint32_t* found = open_calls_.find(op.correlation_id);
  if (found == nullptr) return meet_closed(op);
  Call& call = calls_[*found];
  const Fit fits = fit(op.start_ns, op.context, call.start_ns, call.context);
  if (fits == Fit::other) return meet_closed(op);
  Arrival arrival;
  if (fits == Fit::yes) {
    attach(op, closed_call(call));
    matched(call, op);
  } else {
    ++invalid_;
    arrival.valid = false;
  }
  if (call.expects != Expects::many) settle(call);
  return arrival;
}

Join::Arrival Join::meet_closed(Operation& op) {
  Arrival arrival;
  ClosedCall* call = closed_.find(op.correlation_id);
  if (call == nullptr || fit(op.start_ns, op.context, call->start_ns, call->context) != Fit::yes) {
    return arrival;
  }
  attach(op, *call);
  if (call->unmatched) {
    --unmatched_;
    call->unmatched = false;
    arrival.corrects = true;
    arrival.call = *call;
    arrival.corrects_whole = call->expects != Expects::many;
  } else if (call->expects == Expects::many) {
    const auto size = graph_sizes_.find(op.graph_id);
    if (size != graph_sizes_.end() && size->second.missing > 0) --size->second.missing;
  }
  if (call->expects != Expects::many) closed_.erase(op.correlation_id);
  return arrival;
}

void Join::wait_for_call(std::uint32_t slot) {
  Operation& op = operations_[slot];
  op.waiting = true;
  Waiting& chain = waiting_[op.correlation_id];
  op.previous_waiting = chain.last;
  if (chain.last == kNoSlot) {
    chain.first = slot;
  } else {
    operations_[chain.last].next_waiting = slot;
  }
  chain.last = slot;
}

void Join::unlink(std::uint32_t slot) {
  Operation& op = operations_[slot];
  Waiting& chain = *waiting_.find(op.correlation_id);
  std::uint32_t& from_before =
      op.previous_waiting == kNoSlot ? chain.first : operations_[op.previous_waiting].next_waiting;
  std::uint32_t& from_after =
      op.next_waiting == kNoSlot ? chain.last : operations_[op.next_waiting].previous_waiting;
  from_before = op.next_waiting;
  from_after = op.previous_waiting;
  op.next_waiting = op.previous_waiting = kNoSlot;
  op.waiting = false;
  if (chain.first == kNoSlot) waiting_.erase(op.correlation_id);
}

void Join::stop_waiting(std::uint32_t slot) {
  unlink(slot);
  orphan(operations_[slot]);
}

void Join::orphan(const Operation& op) {
  ++orphaned_;
  orphans_.put(op.correlation_id, {op.start_ns, op.context});
}

void Join::settle(Call& call) {
  call.state = CallState::settled;
  open_calls_.erase(call.correlation_id);
  if (call.expects == Expects::maybe) --open_maybe_;
  count_untimed(call);
}

void Join::remember(const Call& call, bool unmatched) {
  ClosedCall closed = closed_call(call);
  closed.unmatched = unmatched;
  closed_.put(call.correlation_id, closed);
}

void Join::close(std::uint32_t slot) {
  Call& call = calls_[slot];
  if (call.state != CallState::open) return;
  settle(call);
  const bool nothing = call.matched == 0 && call.expects != Expects::maybe;
  const bool unmatched = nothing && call.untimed == 0;
  if (nothing) call.state = CallState::unmatched;
  if (unmatched) ++unmatched_;
  remember(call, unmatched);
  if (call.expects != Expects::many) return;
  open_graph_launches_.erase(slot);
  if (call.graph_id != 0 &&
      (graph_sizes_.size() < kMaxGraphSizes || graph_sizes_.contains(call.graph_id))) {
    graph_sizes_[call.graph_id].add(call.matched + call.untimed);
  }
}

void Join::GraphSize::add(std::uint32_t count) {
  if (count > operations) {
    missing += static_cast<std::int64_t>(count - operations) * (whole + shorter);
    shorter += whole;
    whole = 0;
    operations = count;
  }
  ++(count == operations ? whole : shorter);
  missing += operations - count;
}

// A graph with conditional nodes leaves now more, now fewer records: nothing can be told of it.
std::int64_t Join::missing_nodes() const {
  constexpr std::int64_t kWholeEach = 10;
  std::int64_t missing = 0;
  for (const auto& [id, size] : graph_sizes_) {
    if (size.shorter * kWholeEach <= size.whole) missing += size.missing;
  }
  return missing;
}

}  // namespace gapscope
