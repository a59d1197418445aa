#include "analysis/attribution.h"

#include <algorithm>

#include "analysis/from_time.h"

namespace gapscope {
namespace {

// How many calls before a gap are looked at: the one that it waited for may be followed by short
// ones of other threads.
constexpr std::size_t kCallsBefore = 16;

EvidenceRef api_evidence(ApiId api) {
  return {EvidenceRef::Kind::api, static_cast<std::uint32_t>(api), 0};
}

template <typename T>
bool overlap(const std::deque<T>& entries, std::int64_t begin_ns, std::int64_t end_ns) {
  for (auto e = from_time(entries, begin_ns); e != entries.end() && e->begin_ns < end_ns; ++e) {
    if (e->end_ns > begin_ns) return true;
  }
  return false;
}

}  // namespace

CauseSlices Attribution::attribute(std::int64_t begin_ns, std::int64_t end_ns,
                                   const Launch& launch) const {
  const std::int64_t ns = end_ns - begin_ns;
  if (ns <= 0) return {};
  if (launch.known() && launch.queued_ns <= begin_ns) {
    return CauseSlices{{ns < kSpacingNs ? Cause::spacing : Cause::dependency, ns, {}}};
  }
  if (!nothing_but_launches(begin_ns, end_ns)) return weigh(begin_ns, end_ns, launch);
  // What paint_rest() would say of it: nearly every gap of a launch-bound run.
  const std::int64_t late_ns = launch.known() ? end_ns - launch.queued_ns : 0;
  if (late_ns <= kLaunchLatencyNs) return CauseSlices{{Cause::launch_bound, ns, {}}};
  return CauseSlices{{Cause::launch_bound, ns - late_ns, {}}, {Cause::dependency, late_ns, {}}};
}

// Whether no evidence but that of plain calls that follow each other reaches into the gap, among
// the calls that turns() would look at.
bool Attribution::nothing_but_launches(std::int64_t begin_ns, std::int64_t end_ns) const {
  if (overlap(evidence_.overheads(), begin_ns, end_ns)) return false;
  if (overlap(evidence_.collections(), begin_ns, end_ns)) return false;
  const auto& calls = evidence_.calls();
  // Nearly always the newest few.
  std::size_t end = calls.size();
  while (end > 0 && calls[end - 1].begin_ns >= end_ns) --end;
  std::size_t first = end;
  while (first > 0 && calls[first - 1].begin_ns >= begin_ns) --first;
  if (first == 0) return false;
  first -= std::min(first, kCallsBefore);
  const CallEvidence& last = calls[end - 1];
  // The first one's distance to what was before it is not asked for.
  return last.plain && last.followers >= end - first - 1 && calls[first].plain &&
         end_ns - last.end_ns < kHostStretchNs;
}

CauseSlices Attribution::weigh(std::int64_t begin_ns, std::int64_t end_ns,
                               const Launch& launch) const {
  Unpainted gap(begin_ns, end_ns);
  if (launch.known() && launch.queued_ns <= begin_ns) {
    gap.finish(end_ns - begin_ns < kSpacingNs ? Cause::spacing : Cause::dependency);
    return gap.slices();
  }
  const Turns all = turns(begin_ns, end_ns, launch);
  paint_overheads(all, begin_ns, end_ns, &gap);
  paint_calls(all, &gap);
  paint_collections(begin_ns, end_ns, &gap);
  paint_waits(all, begin_ns, end_ns, launch, &gap);
  paint_stretches(all, begin_ns, end_ns, &gap);
  paint_rest(all, begin_ns, end_ns, launch, &gap);
  gap.finish(Cause::unattributed,
             gap.empty() ? EvidenceRef() : silent_thread(all, begin_ns, end_ns));
  return gap.slices();
}

bool Attribution::stretch(const Turn& turn) const {
  const std::int64_t ns = turn.begin_ns - turn.free_since_ns;
  if (ns < kHostStretchNs) return false;
  return ns >= kSampledNs || sampled(turn.thread, turn.free_since_ns, turn.begin_ns) ||
         sampled(turn.before, turn.free_since_ns, turn.begin_ns);
}

Attribution::Turns Attribution::turns(std::int64_t begin_ns, std::int64_t end_ns,
                                      const Launch& launch) const {
  const auto& calls = evidence_.calls();
  auto first =
      std::lower_bound(calls.begin(), calls.end(), begin_ns,
                       [](const CallEvidence& c, std::int64_t t) { return c.begin_ns < t; });
  for (std::size_t i = 0; i < kCallsBefore && first != calls.begin(); ++i) --first;
  Turns turns;
  std::int64_t free_since_ns = begin_ns;
  std::uint32_t before = kNoThread;
  bool known = false;
  for (auto call = first; call != calls.end() && call->begin_ns < end_ns; ++call) {
    Turn turn;
    turn.call = &*call;
    // Before the first call that is remembered nothing is known: take it that one had just ended.
    turn.free_since_ns = known ? free_since_ns : call->begin_ns;
    turn.begin_ns = call->begin_ns;
    turn.thread = call->thread;
    turn.before = before;
    turn.is_stretch = stretch(turn);
    turns.push_back(turn);
    free_since_ns = known ? std::max(free_since_ns, call->end_ns) : call->end_ns;
    before = call->thread;
    known = true;
  }
  if (free_since_ns < end_ns) {
    Turn turn;
    turn.free_since_ns = free_since_ns;
    turn.begin_ns = end_ns;
    turn.thread = launch.known() ? launch.thread : before;
    turn.before = before;
    turn.is_stretch = stretch(turn);
    turns.push_back(turn);
  }
  return turns;
}

bool Attribution::of_these_threads(std::uint32_t os_thread_id, const Turns& turns) const {
  return std::any_of(turns.begin(), turns.end(), [&](const Turn& turn) {
    return turn.thread != kNoThread && evidence_.os_thread(turn.thread) == os_thread_id;
  });
}

void Attribution::paint_overheads(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                                  Unpainted* gap) const {
  const auto& overheads = evidence_.overheads();
  for (auto o = from_time(overheads, begin_ns); o != overheads.end() && o->begin_ns < end_ns; ++o) {
    if (o->end_ns <= begin_ns) continue;
    switch (o->type) {
      case OverheadType::buffer_flush:
      case OverheadType::instrumentation:
      case OverheadType::resource:
      case OverheadType::buffer_request:
      case OverheadType::uvm_init:
        // Ours when it ran on a thread that should have launched, not on the flush thread.
        if (of_these_threads(o->os_thread_id, turns)) {
          gap->paint(o->begin_ns, o->end_ns, Cause::profiler, {});
        }
        break;
      case OverheadType::driver_compiler:
      case OverheadType::module_loading:
      case OverheadType::lazy_function_loading:
        if (o->os_thread_id == 0 || of_these_threads(o->os_thread_id, turns)) {
          gap->paint(o->begin_ns, o->end_ns, Cause::compilation, {});
        }
        break;
      case OverheadType::unknown:
      case OverheadType::command_buffer_full:
        break;
    }
  }
}

void Attribution::paint_calls(const Turns& turns, Unpainted* gap) const {
  for (const Turn& turn : turns) {
    if (turn.call == nullptr) continue;
    const CallEvidence& call = *turn.call;
    switch (call.category) {
      case ApiCategory::module_load:
      case ApiCategory::graph_build:
        gap->paint(call.begin_ns, call.end_ns, Cause::compilation, api_evidence(call.api));
        break;
      case ApiCategory::alloc:
      case ApiCategory::free_:
        gap->paint(call.begin_ns, call.end_ns, Cause::allocation, api_evidence(call.api));
        break;
      default:
        break;
    }
  }
}

void Attribution::paint_collections(std::int64_t begin_ns, std::int64_t end_ns,
                                    Unpainted* gap) const {
  const auto& all = evidence_.collections();
  for (auto gc = from_time(all, begin_ns); gc != all.end() && gc->begin_ns < end_ns; ++gc) {
    gap->paint(gc->begin_ns, gc->end_ns, Cause::garbage_collection,
               {EvidenceRef::Kind::generation, gc->generation, 0});
  }
}

// A blocking call under way when the device ran dry has drained the queue: until somebody launches
// again the idle time is its doing, unless a long stretch without calls has a cause of its own. One
// that began later only answers for its own time.
void Attribution::paint_waits(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                              const Launch& launch, Unpainted* gap) const {
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const CallEvidence* call = turns[i].call;
    if (call == nullptr || !call->waits) continue;
    // The call that launches what ends the gap does not wait for the device before it.
    if (launch.known() && call->thread == launch.thread && call->begin_ns == launch.start_ns) {
      continue;
    }
    gap->paint(call->begin_ns, call->end_ns, Cause::synchronisation, api_evidence(call->api));
    const bool drained =
        call->begin_ns <= begin_ns + kClockErrorNs && call->end_ns + kClockErrorNs >= begin_ns;
    if (!drained) continue;
    std::int64_t until_ns = call->end_ns;
    std::size_t next = i + 1;
    for (; next < turns.size() && !turns[next].is_stretch; ++next) {
      until_ns =
          turns[next].call == nullptr ? end_ns : std::max(until_ns, turns[next].call->end_ns);
    }
    if (next == turns.size() && end_ns - until_ns < kHostStretchNs) until_ns = end_ns;
    gap->paint(call->end_ns, until_ns, Cause::synchronisation, api_evidence(call->api));
  }
}

void Attribution::paint_stretches(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                                  Unpainted* gap) const {
  for (const Turn& turn : turns) {
    if (!turn.is_stretch || turn.begin_ns <= begin_ns) continue;
    paint_stretch(turn, std::max(begin_ns, turn.free_since_ns), std::min(end_ns, turn.begin_ns),
                  gap);
  }
}

// A long call: a graph of a thousand nodes. Where every node is traced, the launch would have been
// ready sooner by what tracing added: so much idle time under it is the profiler's.
void Attribution::paint_graph_launch(const CallEvidence& call, std::int64_t begin_ns,
                                     std::int64_t end_ns, Unpainted* gap) const {
  const std::int64_t from_ns = std::max(begin_ns, call.begin_ns);
  const std::int64_t to_ns = std::min(end_ns, call.end_ns);
  if (to_ns <= from_ns) return;
  call.tracing_ns -=
      gap->paint(from_ns, std::min(to_ns, from_ns + call.tracing_ns), Cause::profiler,
                 {EvidenceRef::Kind::node_tracing, static_cast<std::uint32_t>(call.api), 0});
  gap->paint(from_ns, to_ns, Cause::launch_bound, api_evidence(call.api));
}

// Between calls that follow each other the thread was on its way to the next launch; what lies
// after the launch had returned waited for something on the device.
void Attribution::paint_rest(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                             const Launch& launch, Unpainted* gap) const {
  if (launch.known() && end_ns - launch.queued_ns > kLaunchLatencyNs) {
    gap->paint(launch.queued_ns, end_ns, Cause::dependency, {});
  }
  for (const Turn& turn : turns) {
    if (turn.call != nullptr && turn.call->category == ApiCategory::graph_launch) {
      paint_graph_launch(*turn.call, begin_ns, end_ns, gap);
    }
    const std::int64_t from_ns = turn.is_stretch ? turn.begin_ns : turn.free_since_ns;
    const std::int64_t to_ns = turn.call == nullptr ? turn.begin_ns : turn.call->end_ns;
    gap->paint(from_ns, to_ns, Cause::launch_bound, {});
  }
  if (launch.known()) gap->paint(launch.start_ns, end_ns, Cause::launch_bound, {});
}

}  // namespace gapscope
