#include "analysis/engine.h"

#include <algorithm>

namespace gapscope {
namespace {

std::int64_t tick_time(std::uint64_t ns) {
  return static_cast<std::int64_t>(std::min(ns, static_cast<std::uint64_t>(kMaxTimeNs)));
}

}  // namespace

Engine::Engine(const AnalysisOptions& options, const NameTable& names, const QueueFull& queue_full)
    : max_pending_(std::max<std::size_t>(options.max_pending, 16)),
      join_(operations_, calls_),
      sweep_(options, operations_, calls_, marks_, join_, names, queue_full) {}

void Engine::add(Operation& op) {
  ++seen_;
  const Join::Arrival arrival = join_.meet(op);
  if (!arrival.valid) return;
  if (arrival.corrects) sweep_.correct(arrival, op);
  if (op.start_ns < swept_ns_) {
    ++late_;
    if (!op.launch.known()) join_.orphan(op);
    sweep_.add_late(op, swept_ns_, !arrival.corrects);
    return;
  }
  const std::uint32_t slot = operations_.add(op);
  if (!op.launch.known()) join_.wait_for_call(slot);
  check_room(operations_);
}

void Engine::add(const ApiCallRecord& record) {
  if (static_cast<std::int64_t>(record.start_ns) < swept_ns_) ++late_calls_;
  join_.add_call(record);
  check_room(calls_);
}

void Engine::add(const MarkRecord& record) {
  PendingMark mark;
  mark.start_ns = static_cast<std::int64_t>(record.time_ns);
  mark.mark = record.mark;
  mark.thread = record.header.thread;
  mark.range_id = record.range_id;
  mark.name_id = record.name_id;
  mark.domain_id = record.domain_id;
  mark.order = ++marks_added_;
  if (mark.start_ns < swept_ns_) ++late_calls_;
  marks_.add(mark);
  check_room(marks_);
}

void Engine::tick(const TickRecord& record) {
  clock_.now_ns = std::max(clock_.now_ns, tick_time(record.now_ns));
  clock_.flushed_ns = std::max(clock_.flushed_ns, tick_time(record.flushed_ns));
  if (record.tick == TickKind::final_) return finish();
  if (record.tick == TickKind::draining) return sweep_.end_at(tick_time(record.now_ns));
  const std::int64_t until_ns = std::min(tick_time(record.host_floor_ns), clock_.flushed_ns);
  if (until_ns > swept_ns_) finalise(until_ns);
}

void Engine::settle() {
  operations_.settle();
  calls_.settle();
  marks_.settle();
}

// The watermark, not beyond until_ns: the entry of the first call that is not settled yet.
std::int64_t Engine::hold_at_open_calls(std::int64_t until_ns) {
  const bool pressed = operations_.pending() > max_pending_ / 4;
  for (std::size_t i = 0; i < calls_.settled(); ++i) {
    const std::int64_t start_ns = calls_.start_at(i);
    if (start_ns >= until_ns) break;
    const std::uint32_t slot = calls_.slot_at(i);
    if (!join_.may_pass(slot, clock_, pressed)) return start_ns;
    // Whether a launch met a full queue is known when its end has been flushed.
    const Call& call = calls_[slot];
    const bool launch =
        call.category == ApiCategory::launch || call.category == ApiCategory::graph_launch;
    if (launch && call.end_ns > clock_.flushed_ns) return start_ns;
  }
  return until_ns;
}

void Engine::finalise(std::int64_t until_ns) {
  settle();
  until_ns = hold_at_open_calls(until_ns);
  sweep_.run(until_ns);
  swept_ns_ = std::max(swept_ns_, until_ns);
}

void Engine::finish() {
  settle();
  for (std::size_t i = 0; i < calls_.settled(); ++i) join_.close(calls_.slot_at(i));
  sweep_.run(kForever);
  sweep_.finish();
  swept_ns_ = kForever;
  finished_ = true;
}

template <typename Queue>
void Engine::check_room(Queue& queue) {
  if (queue.pending() <= max_pending_) return;
  settle();
  relieve(queue.settled(), queue.start_at(queue.settled() / 2));
}

void Engine::relieve(std::size_t pending, std::int64_t middle_ns) {
  for (std::size_t i = 0; i < calls_.settled() && calls_.start_at(i) <= middle_ns; ++i) {
    join_.close(calls_.slot_at(i));
  }
  overflow_ += static_cast<std::int64_t>(pending / 2);
  sweep_.run(middle_ns + 1);
  swept_ns_ = std::max(swept_ns_, middle_ns + 1);
}

std::int64_t Engine::complete_until_ns() const { return finished_ ? clock_.now_ns : swept_ns_; }

std::size_t Engine::held() const {
  return operations_.held() + calls_.held() + marks_.held() + join_.held() + sweep_.held();
}

}  // namespace gapscope
