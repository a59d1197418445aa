#include "analysis/sweep.h"

#include <algorithm>

namespace gapscope {
namespace {

constexpr std::size_t kMaxContexts = 4096;
// Operations or calls that run at one time; further ones go to the tables only.
constexpr std::size_t kMaxActive = 1u << 16;

// For heaps with the earliest end on top; among equals the one that began first.
constexpr auto kLaterEnd = [](const auto& a, const auto& b) {
  return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.order > b.order;
};

}  // namespace

Sweep::Sweep(const AnalysisOptions& options, SlotQueue<Operation>& operations,
             SlotQueue<Call>& calls, SlotQueue<PendingMark>& marks, Join& join,
             const NameTable& names, const QueueFull& queue_full)
    : max_kernel_names_(options.max_kernel_names),
      gap_observer_(options.gap_observer),
      operations_(operations),
      calls_(calls),
      marks_(marks),
      join_(join),
      names_(names),
      queue_full_(queue_full),
      attribution_(evidence_, names, &ranges_),
      capture_(options.capture),
      steps_(options, capture_) {}

void Sweep::run(std::int64_t until_ns) {
  sweep_until(until_ns);
  std::int64_t needed_ns = until_ns;
  for (const auto& device : devices_) {
    if (device) needed_ns = std::min(needed_ns, device->settled_until_ns());
  }
  evidence_.forget_before(needed_ns);
}

void Sweep::sweep_until(std::int64_t until_ns) {
  const auto first_end = [](const auto& heap) {
    return heap.empty() ? kForever : heap.front().end_ns;
  };
  while (true) {
    const std::int64_t op_end = first_end(active_operations_);
    const std::int64_t call_end = first_end(active_calls_);
    const std::int64_t mark = marks_.first_start_ns();
    const std::int64_t call = calls_.first_start_ns();
    const std::int64_t sample = cpu_work_.next_ns();
    const std::int64_t next =
        std::min(std::min(std::min(op_end, call_end), sample),
                 std::min(mark, std::min(call, operations_.first_start_ns())));
    if (next >= until_ns || next == kForever) return;
    now_ns_ = std::max(now_ns_, next);
    if (next == op_end) {
      end_operation();
    } else if (next == call_end) {
      end_call();
    } else if (next == sample) {
      take_sample();
    } else if (next == mark) {
      take_mark();
    } else if (next == call) {
      start_call();
    } else {
      start_operation();
    }
  }
}

// Runs a change of a device's state and tells the overlap whether it is busy or unknown now.
template <typename Change>
void Sweep::change_device(DeviceSweep& device, Change&& change) {
  overlap_.advance(now_ns_);
  const bool was_busy = device.busy(), was_unknown = device.unknown();
  change();
  overlap_.gpu_busy(static_cast<int>(device.busy()) - static_cast<int>(was_busy));
  overlap_.gpu_unknown(static_cast<int>(device.unknown()) - static_cast<int>(was_unknown));
}

DeviceSweep& Sweep::device_of(const Operation& op) {
  auto& device = devices_[op.device];
  if (!device) {
    StepContents* steps = first_device_ >= 0 ? nullptr : &steps_.contents();
    if (first_device_ < 0) first_device_ = op.device;
    device = std::make_unique<DeviceSweep>(operations_, attribution_, steps, max_kernel_names_);
    device->tell(gap_observer_, op.device);
  }
  if (!context_known_ || op.context != last_context_) {
    if (context_devices_.size() < kMaxContexts || context_devices_.contains(op.context)) {
      context_devices_.insert_or_assign(op.context, op.device);
    }
    last_context_ = op.context;
    context_known_ = true;
    last_context_device_ = find_device(op.context);
  }
  return *device;
}

int Sweep::find_device(std::uint32_t context) const {
  const auto found = context_devices_.find(context);
  return found == context_devices_.end() ? -1 : found->second;
}

void Sweep::classify(Operation& op) {
  if (op.is_kernel()) {
    op.op_class = op.kind == RecordKind::kernel && names_.communication(op.name)
                      ? OperationClass::communication
                      : OperationClass::compute;
  } else {
    op.op_class = OperationClass::copy;
  }
  const bool after_end = !op.launch.known() && op.start_ns >= ending_ns_;
  op.counted = !after_end && capture_.range_of(op) != Capture::kOutside;
  op.phase = phase_of(op.launch.known() ? op.launch.start_ns : op.start_ns);
}

void Sweep::start_operation() {
  const std::uint32_t slot = operations_.pop();
  Operation& op = operations_[slot];
  if (op.dead) return operations_.release(slot);
  if (op.waiting) join_.stop_waiting(slot);
  op.start_ns = std::max(op.start_ns, now_ns_);
  op.end_ns = std::max(op.end_ns, op.start_ns);
  capture_.first_operation(op.start_ns);
  if (!op.tabled && steps_.operation(op, optimiser(op))) take_back_steady();
  classify(op);
  const std::int64_t range = capture_.range_of(op);
  DeviceSweep& device = device_of(op);
  if (!op.counted && !op.tabled) ++outside_;
  if (op.counted && !op.tabled) steps_.contents().operation(op);
  if (active_operations_.size() >= kMaxActive) {
    ++overflow_;
    if (op.counted && !op.tabled) device.add_late(op);
    return operations_.release(slot);
  }
  change_device(device, [&] { device.start(slot, range); });
  if (op.counted) overlap_.count_in(op.start_ns, range, op.phase);
  if (op.counted && !op.tabled) count_in_ranges(op, device);
  active_operations_.push_back({op.end_ns, order_++, slot});
  std::push_heap(active_operations_.begin(), active_operations_.end(), kLaterEnd);
}

void Sweep::count_in_ranges(const Operation& op, const DeviceSweep& device) {
  if (!ranges_.any()) return;
  RangeOperation in_range;
  in_range.start_ns = op.start_ns;
  in_range.end_ns = op.end_ns;
  in_range.idle_measure_ns = now_ns_ - device.busy_ns(now_ns_) - device.unknown_ns(now_ns_);
  in_range.launch_ns = op.launch.start_ns;
  in_range.thread = op.launch.thread;
  in_range.device = op.device;
  in_range.kernel = op.is_kernel();
  ranges_.operation(in_range);
}

void Sweep::end_operation() {
  std::pop_heap(active_operations_.begin(), active_operations_.end(), kLaterEnd);
  const std::uint32_t slot = active_operations_.back().slot;
  active_operations_.pop_back();
  const Operation& op = operations_[slot];
  DeviceSweep& device = *devices_[op.device];
  change_device(device, [&] { device.end(slot); });
  if (op.counted) overlap_.count_out();
  operations_.release(slot);
}

bool Sweep::waits(const Call& call) const {
  switch (call.category) {
    case ApiCategory::sync:
      return true;
    case ApiCategory::copy:
    case ApiCategory::set:
      return call.own_end_ns != kNever && call.own_end_ns <= call.end_ns;
    case ApiCategory::launch:
    case ApiCategory::graph_launch:
      return queue_full_.overlaps(call.thread, call.start_ns, call.end_ns);
    default:
      return false;
  }
}

void Sweep::start_call() {
  const std::uint32_t slot = calls_.pop();
  const Call& call = calls_[slot];
  if (active_calls_.size() >= kMaxActive) {
    ++overflow_;
    return calls_.release(slot);
  }
  overlap_.advance(now_ns_);
  ActiveCall active{};
  active.end_ns = std::max(call.end_ns, now_ns_);
  active.order = order_++;
  active.start_ns = call.start_ns;
  active.total_ns = call.end_ns - call.start_ns;
  active.stream_key = call.stream_key;
  active.context = call.context;
  active.api = call.api;
  active.phase = phase_of(call.start_ns);
  active.device = static_cast<std::int8_t>(device_of_context(call.context));
  active.counted = capture_.range_at(call.start_ns) != Capture::kOutside;
  active.waits = waits(call);
  active.thread = call.thread;
  active.synchronises = call.category == ApiCategory::sync;
  active.drains = !call.failed() && !call.captured() &&
                  (call.api == ApiId::context_synchronize || call.api == ApiId::stream_synchronize);
  if (active.counted) {
    host_[static_cast<int>(active.phase)].add_call(call, active.waits);
    steps_.contents().call(call, active.waits);
  }
  overlap_.cpu_work(cpu_work_.call_begins(call.thread, call.category, active.waits));
  evidence_.add_call(call, active.waits);
  ranges_.call(call.thread, now_ns_, call.end_ns);
  if (active.waits) {
    const DeviceSweep* device = active.device < 0 ? nullptr : devices_[active.device].get();
    active.busy_before_ns = device != nullptr ? device->busy_ns(now_ns_) : overlap_.busy_ns();
    active.unknown_before_ns =
        device != nullptr ? device->unknown_ns(now_ns_) : overlap_.unknown_ns();
  }
  if (call.state == CallState::unmatched) open_unknown(call);
  active_calls_.push_back(active);
  std::push_heap(active_calls_.begin(), active_calls_.end(), kLaterEnd);
  calls_.release(slot);
}

void Sweep::end_call() {
  std::pop_heap(active_calls_.begin(), active_calls_.end(), kLaterEnd);
  const ActiveCall call = active_calls_.back();
  active_calls_.pop_back();
  overlap_.advance(now_ns_);
  overlap_.cpu_work(cpu_work_.call_ends(call.thread, call.waits));
  if (call.drains) shown_drained(call);
  if (call.waits && call.counted) add_wait(call);
  if (call.synchronises && steps_.synchronised(now_ns_)) take_back_steady();
}

void Sweep::add_sample(const RecordHeader& header) {
  SampleEvidence sample;
  if (!evidence_.add_sample(header, &sample)) return;
  cpu_work_.see_sample();
  if (!sample.running()) return;
  cpu_work_.add_sample(header.thread, sample.begin_ns, sample.end_ns, now_ns_);
}

void Sweep::take_sample() {
  overlap_.advance(now_ns_);
  overlap_.cpu_work(cpu_work_.take_event());
}

void Sweep::add_wait(const ActiveCall& call) {
  const DeviceSweep* device = call.device < 0 ? nullptr : devices_[call.device].get();
  const std::int64_t busy_now_ns =
      device != nullptr ? device->busy_ns(now_ns_) : overlap_.busy_ns();
  const std::int64_t unknown_now_ns =
      device != nullptr ? device->unknown_ns(now_ns_) : overlap_.unknown_ns();
  const std::int64_t busy_ns = std::min(busy_now_ns - call.busy_before_ns, call.total_ns);
  // A late record may have shown meanwhile that nothing was unknown.
  const std::int64_t unknown_ns =
      std::clamp<std::int64_t>(unknown_now_ns - call.unknown_before_ns, 0, call.total_ns - busy_ns);
  host_[static_cast<int>(call.phase)].add_wait(call.api, call.total_ns, busy_ns,
                                               call.total_ns - busy_ns - unknown_ns);
}

// A launch whose record never came may have run from its entry on.
void Sweep::open_unknown(const Call& call) {
  const int ordinal = device_of_context(call.context);
  if (ordinal < 0) return;
  DeviceSweep& device = *devices_[ordinal];
  change_device(device, [&] { device.open_unknown(call); });
}

void Sweep::shown_drained(const ActiveCall& call) {
  const int ordinal = device_of_context(call.context);
  if (ordinal < 0) return;
  DeviceSweep& device = *devices_[ordinal];
  const std::uint32_t key = call.api == ApiId::context_synchronize ? kNoSlot : call.stream_key;
  if (call.api == ApiId::stream_synchronize && key == kNoSlot) return;
  change_device(device, [&] { device.synchronised(key, call.context, call.start_ns, now_ns_); });
}

void Sweep::take_mark() {
  const std::uint32_t slot = marks_.pop();
  const PendingMark mark = marks_[slot];
  marks_.release(slot);
  switch (mark.mark) {
    case MarkKind::capture_on:
      capture_.switched(true, now_ns_);
      break;
    case MarkKind::capture_off:
      capture_.switched(false, now_ns_);
      break;
    case MarkKind::step:
      if (steps_.mark(now_ns_)) take_back_steady();
      break;
    case MarkKind::range_push:
    case MarkKind::range_pop:
    case MarkKind::range_start:
    case MarkKind::range_end:
      take_range_mark(mark);
      break;
    default:
      break;
  }
}

void Sweep::take_range_mark(const PendingMark& mark) {
  const std::string_view name = names_.string(mark.name_id);
  const std::int64_t steps_before = steps_.step_ranges();
  if (steps_.range_mark(mark.mark, now_ns_, mark.thread, mark.range_id, name)) take_back_steady();
  RangeMark range;
  range.begins_step = steps_.step_ranges() != steps_before;
  range.time_ns = now_ns_;
  range.mark = mark.mark;
  range.thread = mark.thread;
  range.range_id = mark.range_id;
  range.name = name;
  range.name_id = mark.name_id;
  range.domain = names_.string(mark.domain_id);
  range.phase = phase_of(now_ns_);
  range.counted = capture_.range_at(now_ns_) != Capture::kOutside;
  ranges_.mark(range);
}

void Sweep::take_back_steady() {
  overlap_.advance(now_ns_);
  overlap_.take_back_steady();
  host_[0].merge(host_[1]);
  host_[1] = HostTally();
  for (ActiveCall& call : active_calls_) call.phase = Phase::warmup;
  for (const auto& device : devices_) {
    if (device) device->take_back_steady();
  }
  ranges_.take_back_steady();
}

void Sweep::finish() {
  if (overlap_.first_op_ns() == kNever) return;
  if (steps_.finish(overlap_.last_op_ns())) take_back_steady();
}

void Sweep::add_late(Operation op, std::int64_t swept_ns, bool uncorrected) {
  classify(op);
  DeviceSweep& device = device_of(op);
  if (op.counted) {
    device.add_late(op);
    if (uncorrected) add_capped(late_ns_, std::min(op.end_ns, swept_ns) - op.start_ns);
  } else {
    ++outside_;
  }
  if (op.end_ns <= swept_ns) return;
  op.tabled = true;
  op.start_ns = swept_ns;
  operations_.add(op);
}

void Sweep::correct(const Join::Arrival& arrival, const Operation& op) {
  const auto& device = devices_[op.device];
  if (!device) return;
  Operation classified = op;
  classify(classified);
  change_device(*device,
                [&] { device->correct(arrival.call, classified, arrival.corrects_whole); });
}

std::int64_t Sweep::overflow() const {
  std::int64_t overflow = overflow_;
  for (const auto& device : devices_) {
    if (device) overflow += device->forced();
  }
  return overflow;
}

std::size_t Sweep::held() const {
  std::size_t held = active_operations_.size() + active_calls_.size() + context_devices_.size() +
                     evidence_.held() + cpu_work_.held() + steps_.held() + ranges_.held();
  for (const auto& device : devices_) {
    if (device) held += device->held();
  }
  return held;
}

}  // namespace gapscope
