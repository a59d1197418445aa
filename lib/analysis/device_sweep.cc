#include "analysis/device_sweep.h"

#include <algorithm>

#include "analysis/names.h"

namespace gapscope {

std::uint32_t DeviceSweep::entry_of(std::uint32_t name) {
  if (name < admitted_.size() && admitted_[name]) return name;
  if (name == NameTable::kOther) return name;
  if (admitted_count_ >= max_kernel_names_) {
    if (overflow_names_.size() < kMaxOverflowNames) overflow_names_.insert(name);
    return NameTable::kOther;
  }
  if (name >= admitted_.size()) admitted_.resize(name + 1);
  admitted_[name] = true;
  ++admitted_count_;
  return name;
}

void DeviceSweep::present(std::int64_t to_ns, Segment& segment) const {
  segment.begin_ns = now_ns_;
  segment.end_ns = to_ns;
  segment.compute = running(OperationClass::compute) > 0;
  segment.communication = running(OperationClass::communication) > 0;
  segment.copy = running(OperationClass::copy) > 0;
  segment.only_graphs = segment.compute && running_graphs_ == running(OperationClass::compute);
  segment.unknown = open_launches_;
}

// Accounts for the time since the last boundary. next: the operation that begins at to_ns, if one
// does; else an idle stretch ends because a launch that left no record may have begun.
void DeviceSweep::advance(std::int64_t to_ns, const Operation* next) {
  if (now_ns_ == kNever) now_ns_ = to_ns;
  const std::int64_t ns = to_ns - now_ns_;
  if (ns <= 0) return;
  if (!active_.empty()) {
    busy_ns_ += ns;
    if (running(OperationClass::compute) + running(OperationClass::communication) > 0) {
      kernel_ns_ += ns;
    }
    if (active_.size() == 1) {
      const Operation& op = operations_[active_[0]];
      if (op.counted && !op.tabled && op.is_kernel()) {
        tally(op.phase).add_alone(entry_of(op.name), ns);
      }
    }
  } else if (!open_unknown_.empty()) {
    unknown_ns_ += ns;
  }
  if (window_open_) {
    if (running_counted_ > 0) {
      Segment segment;
      present(to_ns, segment);
      commit(segment);
    } else {
      hold_back(to_ns, next);
    }
  }
  now_ns_ = to_ns;
}

// The stretch since the last boundary, in which no counted operation runs.
void DeviceSweep::hold_back(std::int64_t to_ns, const Operation* next) {
  Segment& segment = held_back_.emplace_back();
  present(to_ns, segment);
  if (segment.kind() == TimeKind::idle) {
    segment.before = last_ended_;
    if (next != nullptr) {
      segment.after = reference(*next);
      segment.after_launch = next->launch;
    } else {
      segment.after_launch.start_ns = segment.after_launch.queued_ns = to_ns;
    }
    segment.causes = attribution_.attribute(segment.begin_ns, segment.end_ns, segment.after_launch);
  }
  if (held_back_.size() >= kMaxHeldBack) relieve_held_back();
}

// With operations among them that do not count, their range is most likely over and they belong to
// nobody. Else launches were lost, many, and the window goes on.
void DeviceSweep::relieve_held_back() {
  const auto segments = static_cast<std::int64_t>(held_back_.size());
  if (std::any_of(held_back_.begin(), held_back_.end(),
                  [](const Segment& segment) { return segment.busy(); })) {
    left_out_ += segments;
    held_back_.clear();
  } else {
    forced_ += segments;
    commit_held_back();
  }
}

void DeviceSweep::commit(const Segment& segment) {
  const TimeKind kind = segment.kind();
  tally(phase_).add(segment);
  const auto show = [&](Timeline& timeline) {
    if (kind == TimeKind::idle) {
      timeline.add_idle(segment.begin_ns, segment.end_ns, segment.causes);
    } else {
      timeline.add(segment.begin_ns, segment.end_ns, kind);
    }
  };
  show(timeline_);
  if (phase_ == Phase::steady) show(steady_timeline_);
  if (kind == TimeKind::idle && observer_ != nullptr) {
    observer_->observe({ordinal_, segment.begin_ns, segment.end_ns, segment.causes});
  }
  if (kind == TimeKind::idle && steps_ != nullptr) {
    steps_->idle(segment.begin_ns, segment.end_ns, segment.causes);
  }
  if (kind == TimeKind::unknown) {
    unknown_log_.add({segment.begin_ns, segment.end_ns, segment.unknown, phase_});
  }
}

void DeviceSweep::commit_held_back() {
  for (const Segment& segment : held_back_) commit(segment);
  held_back_.clear();
}

void DeviceSweep::count_in(Operation& op, std::int64_t range) {
  const bool pause = range > range_ && running_counted_ == 0;
  if (!window_open_ || pause) {
    held_back_.clear();  // before the window, or between two ranges
  } else {
    commit_held_back();
    forced_ += left_out_;
  }
  left_out_ = 0;
  if (steps_ != nullptr) steps_->idle_told_until(op.start_ns);
  window_open_ = true;
  range_ = std::max(range_, range);
  if (op.phase == Phase::steady) phase_ = Phase::steady;
  tally(phase_).began(op.start_ns);
  ++running_counted_;
  if (!op.tabled) tally(op.phase).add_operation(op, op.is_kernel() ? entry_of(op.name) : 0);
}

void DeviceSweep::start(std::uint32_t slot, std::int64_t range) {
  Operation& op = operations_[slot];
  advance(op.start_ns, &op);
  if (!open_unknown_.empty() && op.launch.known() && op.launch.stream_key != kNoSlot) {
    close_unknown([&](const OpenUnknown& u) {
      return u.stream_key == op.launch.stream_key && u.before(op.launch.start_ns);
    });
  }
  if (op.counted) count_in(op, range);
  op.place = static_cast<std::uint32_t>(active_.size());
  op.kernel_ns_before = kernel_ns_;
  active_.push_back(slot);
  ++running(op);
  if (op.kind == RecordKind::graph) ++running_graphs_;
}

void DeviceSweep::end(std::uint32_t slot) {
  Operation& op = operations_[slot];
  advance(op.end_ns, nullptr);
  operations_[active_.back()].place = op.place;
  active_[op.place] = active_.back();
  active_.pop_back();
  --running(op);
  if (op.kind == RecordKind::graph) --running_graphs_;
  last_ended_ = reference(op);
  if (!op.counted) return;
  --running_counted_;
  if (op.is_kernel() || op.tabled) return;
  tally(op.phase).add_hidden(op.copy_key, kernel_ns_ - op.kernel_ns_before);
}

void DeviceSweep::add_late(const Operation& op) {
  tally(op.phase).began(op.start_ns);
  tally(op.phase).add_operation(op, op.is_kernel() ? entry_of(op.name) : 0);
}

void DeviceSweep::open_unknown(const Call& call) {
  if (now_ns_ == kNever) return;
  advance(call.start_ns, nullptr);
  ++open_launches_;
  if (open_unknown_.size() >= kMaxOpenUnknown) return crowd(call);
  open_unknown_.push_back(
      {call.start_ns, call.end_ns, call.stream_key, call.context, call.correlation_id});
}

// One entry for several launches: it closes only when the last of them must be done.
void DeviceSweep::crowd(const Call& call) {
  auto entry = std::find_if(open_unknown_.rbegin(), open_unknown_.rend(),
                            [&](const OpenUnknown& u) { return u.stream_key == call.stream_key; });
  if (entry == open_unknown_.rend()) entry = open_unknown_.rbegin();
  if (entry->stream_key != call.stream_key) entry->stream_key = kNoSlot;
  if (entry->context != call.context) entry->context = kNoSlot;
  entry->since_ns = std::max(entry->since_ns, call.start_ns);
  entry->launched_ns = std::max(entry->launched_ns, call.end_ns);
  ++entry->launches;
}

void DeviceSweep::synchronised(std::uint32_t stream_key, std::uint32_t context,
                               std::int64_t launched_before_ns, std::int64_t now_ns) {
  if (open_unknown_.empty()) return;
  advance(now_ns, nullptr);
  close_unknown([&](const OpenUnknown& u) {
    const bool same = stream_key == kNoSlot ? u.context == context : u.stream_key == stream_key;
    return same && u.before(launched_before_ns);
  });
  if (open_unknown_.empty() && active_.empty()) last_ended_ = OperationRef{};
}

void DeviceSweep::take_back_steady() {
  tally(Phase::warmup).merge(tally(Phase::steady));
  tally(Phase::steady) = DeviceTally();
  steady_timeline_ = Timeline();
  phase_ = Phase::warmup;
  unknown_log_.all_warmup();
  for (const std::uint32_t slot : active_) operations_[slot].phase = Phase::warmup;
}

}  // namespace gapscope
