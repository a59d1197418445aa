#include "analysis/device_tally.h"

#include <algorithm>
#include <cstring>

namespace gapscope {
namespace {

void add_launch_shape(KernelTally& to, const KernelTally& from) {
  if (from.latest_ns < to.latest_ns) return;
  to.latest_ns = from.latest_ns;
  std::memcpy(to.grid, from.grid, sizeof to.grid);
  std::memcpy(to.block, from.block, sizeof to.block);
  to.registers_per_thread = from.registers_per_thread;
  to.shared_bytes = from.shared_bytes;
}

}  // namespace

KernelTally& DeviceTally::kernel(std::uint32_t name) {
  if (name >= kernel_slots_.size()) kernel_slots_.resize(name + 1);
  std::uint32_t& slot = kernel_slots_[name];
  if (slot == 0) {
    kernels_.emplace_back();
    slot = static_cast<std::uint32_t>(kernels_.size());
  }
  return kernels_[slot - 1];
}

std::size_t DeviceTally::slot_of_copy(std::uint8_t key) {
  if (copy_slots_.empty()) copy_slots_.resize(256);
  if (copy_slots_[key] == 0) {
    copies_.emplace_back();
    copy_slots_[key] = static_cast<std::uint8_t>(copies_.size());
  }
  return copy_slots_[key] - 1u;
}

DeviceTally::StreamUse* DeviceTally::stream(std::uint64_t key) {
  std::uint32_t& recent = recent_streams_[key % kRecentStreams];
  if (recent < stream_uses_.size() && stream_uses_[recent].key == key) return &stream_uses_[recent];
  const auto found = stream_slots_.find(key);
  if (found != stream_slots_.end()) {
    recent = found->second;
  } else {
    if (stream_uses_.size() >= kMaxStreams) return nullptr;
    recent = static_cast<std::uint32_t>(stream_uses_.size());
    stream_slots_.emplace(key, recent);
    stream_uses_.emplace_back().key = key;
  }
  return &stream_uses_[recent];
}

void DeviceTally::add_kernel(const Operation& op, std::uint32_t name) {
  KernelTally& entry = kernel(name);
  entry.time.add(op.duration_ns());
  entry.occupancy.add(op);
  if (op.start_ns < entry.latest_ns) return;
  entry.latest_ns = op.start_ns;
  std::memcpy(entry.grid, op.grid, sizeof entry.grid);
  std::memcpy(entry.block, op.block, sizeof entry.block);
  entry.registers_per_thread = op.registers_per_thread;
  entry.shared_bytes = op.shared_bytes;
}

void DeviceTally::add_operation(const Operation& op, std::uint32_t name) {
  ++sums_.operations;
  StreamUse* use = stream((std::uint64_t{op.context} << 32) | op.stream);
  if (op.is_kernel()) {
    add_kernel(op, name);
    if (use != nullptr) ++use->kernels;
    return;
  }
  CopyTally& entry = copies_[slot_of_copy(op.copy_key)];
  entry.time.add(op.duration_ns());
  entry.bytes += static_cast<std::int64_t>(std::min<std::uint64_t>(op.bytes, kMaxBytes));
  if (use == nullptr) return;
  for (auto& [key, count] : use->copies) {
    if (key == op.copy_key) {
      ++count;
      return;
    }
  }
  use->copies.push_back({op.copy_key, 1});
}

void DeviceTally::add_idle(const Segment& segment) {
  const std::int64_t ns = segment.length_ns();
  sums_.time.idle_ns += ns;
  Gap gap;
  gap.begin_ns = segment.begin_ns;
  gap.end_ns = segment.end_ns;
  gap.before = segment.before;
  gap.after = segment.after;
  gap.cause = static_cast<std::uint32_t>(Cause::unattributed);
  if (segment.causes.size() == 1) {
    gap.cause = static_cast<std::uint32_t>(segment.causes[0].cause);
    causes_.add(segment.causes);
  } else if (!segment.causes.empty()) {
    const CauseSlices sums = summed(segment.causes);
    const auto most = std::max_element(sums.begin(), sums.end(),
                                       [](const auto& a, const auto& b) { return a.ns < b.ns; });
    gap.cause = static_cast<std::uint32_t>(most->cause);
    causes_.add(sums);
  }
  gaps_.add(gap);
  if (!segment.after_launch.known()) return;
  if (segment.after_launch.queued_ns > segment.begin_ns) {
    sums_.launch_bound_ns += ns;
  } else if (ns < kSpacingNs) {
    sums_.spacing_ns += ns;
  }
}

void DeviceTally::add(const Segment& segment) {
  const std::int64_t ns = segment.length_ns();
  sums_.time.window_ns += ns;
  last_op_ns_ = std::max(last_op_ns_, segment.end_ns);
  switch (segment.kind()) {
    case TimeKind::compute:
      sums_.time.compute_ns += ns;
      if (segment.only_graphs) sums_.graph_granular_ns += ns;
      break;
    case TimeKind::comm_exposed:
      sums_.time.comm_exposed_ns += ns;
      break;
    case TimeKind::copy_only:
      sums_.time.copy_only_ns += ns;
      break;
    case TimeKind::unknown:
      sums_.time.unknown_ns += ns;
      break;
    case TimeKind::idle:
      add_idle(segment);
      break;
  }
  if (segment.copy) {
    sums_.copy_ns += ns;
    if (segment.compute || segment.communication) sums_.copy_overlap_ns += ns;
  }
  if (segment.communication) {
    sums_.comm_ns += ns;
    if (segment.compute) sums_.comm_overlap_ns += ns;
  }
}

void DeviceTally::correct_busy(OperationClass op_class, std::int64_t ns) {
  sums_.time.unknown_ns -= ns;
  switch (op_class) {
    case OperationClass::compute:
      sums_.time.compute_ns += ns;
      break;
    case OperationClass::communication:
      sums_.time.comm_exposed_ns += ns;
      sums_.comm_ns += ns;
      break;
    case OperationClass::copy:
      sums_.time.copy_only_ns += ns;
      sums_.copy_ns += ns;
      break;
  }
}

void DeviceTally::correct_idle(const Segment& segment) {
  sums_.time.unknown_ns -= segment.length_ns();
  add_idle(segment);
}

void DeviceTally::merge(const DeviceTally& later) {
  const Sums& s = later.sums_;
  sums_.time.window_ns += s.time.window_ns;
  sums_.time.compute_ns += s.time.compute_ns;
  sums_.time.comm_exposed_ns += s.time.comm_exposed_ns;
  sums_.time.copy_only_ns += s.time.copy_only_ns;
  sums_.time.idle_ns += s.time.idle_ns;
  sums_.time.unknown_ns += s.time.unknown_ns;
  sums_.spacing_ns += s.spacing_ns;
  sums_.launch_bound_ns += s.launch_bound_ns;
  sums_.copy_ns += s.copy_ns;
  sums_.copy_overlap_ns += s.copy_overlap_ns;
  sums_.comm_ns += s.comm_ns;
  sums_.comm_overlap_ns += s.comm_overlap_ns;
  sums_.graph_granular_ns += s.graph_granular_ns;
  sums_.operations += s.operations;
  gaps_.merge(later.gaps_);
  causes_.merge(later.causes_);
  if (first_op_ns_ == kNever) first_op_ns_ = later.first_op_ns_;
  last_op_ns_ = std::max(last_op_ns_, later.last_op_ns_);
  later.for_each_kernel([this](std::uint32_t name, const KernelTally& from) {
    KernelTally& to = kernel(name);
    to.time.merge(from.time);
    to.alone_ns += from.alone_ns;
    to.occupancy.merge(from.occupancy);
    add_launch_shape(to, from);
  });
  later.for_each_copy([this](std::uint8_t key, const CopyTally& from) {
    CopyTally& to = copies_[slot_of_copy(key)];
    to.time.merge(from.time);
    to.bytes += from.bytes;
    to.hidden_ns += from.hidden_ns;
  });
  for (const StreamUse& from : later.stream_uses_) {
    StreamUse* to = stream(from.key);
    if (to == nullptr) continue;
    to->kernels += from.kernels;
    for (const auto& [copy, count] : from.copies) {
      auto known = std::find_if(to->copies.begin(), to->copies.end(),
                                [copy = copy](const auto& c) { return c.first == copy; });
      if (known == to->copies.end()) {
        to->copies.push_back({copy, count});
      } else {
        known->second += count;
      }
    }
  }
}

}  // namespace gapscope
