// Whose work a launch is, and what it adds to the ranges.
#include <algorithm>

#include "analysis/ranges.h"

namespace gapscope {

void RangeTracker::take_call(std::uint32_t index, std::int64_t start_ns, std::int64_t end_ns) {
  Thread* t = thread(index);
  if (t == nullptr) return;
  ++t->calls;
  ++t->burst;
  t->call_until_ns = std::max(t->call_until_ns, end_ns);
  for (std::uint32_t d = 0; d < domains_.size(); ++d) launches_for(index, d, start_ns);
}

// A thread without an own range makes a call: from now on its work is that of the thread that waits
// for it, if one does.
void RangeTracker::launches_for(std::uint32_t index, std::uint32_t domain_index,
                                std::int64_t now_ns) {
  const std::uint32_t known = find_track(threads_[index], domain_index);
  if (known != kNoSlot && history_.track(known).own_range()) return;
  const std::uint32_t instance = waiting_instance(index, domain_index, now_ns);
  if (known == kNoSlot && instance == kNoSlot) return;
  const std::uint32_t own = known != kNoSlot ? known : track(index, domain_index);
  if (own == kNoSlot) {
    ++overflow_;
    return;
  }
  const auto& transitions = history_.track(own).transitions;
  const std::uint32_t present = transitions.empty() ? kNoSlot : transitions.back().instance;
  if (present != instance) history_.add(own, now_ns, instance, instance != kNoSlot);
}

// The innermost range of the thread that waits for that one, kNoSlot if none does.
std::uint32_t RangeTracker::waiting_instance(std::uint32_t index, std::uint32_t domain_index,
                                             std::int64_t now_ns) {
  Thread& t = threads_[index];
  const auto& tracks = domains_[domain_index].tracks_open;
  const std::uint32_t own = find_track(t, domain_index);
  std::uint32_t pinned = kNoSlot;
  if (own != kNoSlot && !history_.track(own).transitions.empty()) {
    pinned = history_.track(own).transitions.back().instance;
  }
  std::uint32_t chosen = kNoSlot;
  int candidates = 0;
  for (auto i = tracks.rbegin(); i != tracks.rend(); ++i) {
    const RangeHistory::Track& other = history_.track(*i);
    if (other.thread == index || other.open.empty()) continue;
    if (threads_[other.thread].call_until_ns > now_ns) continue;  // it is in a call
    ++candidates;
    if (chosen == kNoSlot) chosen = *i;
    if (pinned != kNoSlot && other.open.back() == pinned) {
      chosen = *i;
      candidates = 1;
      break;
    }
  }
  if (chosen == kNoSlot) return kNoSlot;
  if (candidates > 1) ++ambiguous_;
  const RangeHistory::Track& owner = history_.track(chosen);
  if (on_its_own(t, threads_[owner.thread])) return kNoSlot;
  return owner.open.back();
}

bool RangeTracker::on_its_own(Thread& t, const Thread& owner) {
  if (t.autograd) return false;
  if (owner.calls != t.owner_calls) {
    // The other made calls since. Waiting threads do so after long bursts of this one.
    if (t.owner_calls != 0) t.strikes = t.burst <= 2 ? std::min(t.strikes + 1, kStrikes) : 0;
    t.owner_calls = owner.calls;
    t.burst = 1;
  } else if (t.burst >= kLongBurst) {
    t.strikes = 0;
  }
  return t.strikes >= kStrikes;
}

void RangeTracker::take_operation(const RangeOperation& op) {
  if (op.launch_ns == kNever) return;
  if (op.thread < threads_.size()) {
    for (const std::uint32_t index : threads_[op.thread].tracks) {
      const RangeHistory::Found found = history_.at(index, op.launch_ns);
      if (found.forgotten) ++forgotten_;
      if (found.instance != kNoSlot) add_to(found.instance, found.via, op);
    }
  }
  if (!started_.empty() || op.launch_ns < last_ended_ns_) add_to_started(op);
}

void RangeTracker::add_to_started(const RangeOperation& op) {
  const auto add = [&](const Started& range) {
    if (range.begin_ns <= op.launch_ns && op.launch_ns < range.end_ns) {
      add_to(range.instance, false, op);
    }
  };
  for (const Started& range : started_) add(range);
  if (op.launch_ns >= last_ended_ns_) return;
  if (op.launch_ns < ended_forgotten_ns_) ++forgotten_;
  for (const Started& range : ended_) add(range);
}

// To the instance and all that enclose it.
void RangeTracker::add_to(std::uint32_t index, bool via, const RangeOperation& op) {
  bool other = false;  // "(other)" may enclose itself: it counts once
  while (index != kNoSlot) {
    RangeInstance& instance = history_[index];
    index = instance.parent;
    const bool below_other = other;
    const bool adopted = instance.adopted;
    if (instance.node == RangeTree::kOther) other = true;
    if (instance.counted && !(below_other && instance.node == RangeTree::kOther)) {
      RangeTree::Sums& sums = tree_.sums(instance.node, instance.phase);
      sums.kernels += op.kernel ? 1 : 0;
      add_capped(sums.device_union_ns,
                 tree_.add_to_union(instance.node, op.device, op.start_ns, op.end_ns));
      sums.via_thread = sums.via_thread || via;
      auto& spans = instance.spans;
      auto span = std::find_if(spans.begin(), spans.end(),
                               [&](const auto& s) { return s.device == op.device; });
      if (span == spans.end()) {
        add_capped(sums.device_span_ns, op.end_ns - op.start_ns);
        spans.push_back({op.end_ns, op.idle_measure_ns, op.device});
      } else {
        add_capped(sums.device_span_ns, std::max<std::int64_t>(op.end_ns - span->end_ns, 0));
        add_capped(sums.idle_ns,
                   std::max<std::int64_t>(op.idle_measure_ns - span->idle_measure_ns, 0));
        span->end_ns = std::max(span->end_ns, op.end_ns);
        span->idle_measure_ns = op.idle_measure_ns;
      }
    }
    via = via || adopted;
  }
}

}  // namespace gapscope
