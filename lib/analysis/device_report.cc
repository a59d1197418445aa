#include "analysis/device_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "analysis/evidence_text.h"

namespace gapscope {
namespace {

constexpr std::string_view kMemoryNames[kMemoryKinds] = {"unknown", "pageable", "pinned",
                                                         "device",  "array",    "managed"};
constexpr std::string_view kDirectionNames[kDirections] = {"unknown", "HtoD", "DtoH",
                                                           "DtoD",    "HtoH", "PtoP"};

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return a > kForever - b ? kForever : a + b;
}

void add_kernels(report::Device& device, const DeviceTally& tally, const NameTable& names,
                 std::uint32_t max_warps) {
  std::map<std::string_view, report::Family> families;
  tally.for_each_kernel([&](std::uint32_t index, const KernelTally& entry) {
    if (entry.time.count() == 0) return;
    const KernelName& name = names.name(index);
    report::Kernel& kernel = device.kernels.emplace_back();
    kernel.name = name.short_name;
    kernel.full_name = name.full_name;
    kernel.family = name.family;
    kernel.communication = name.communication;
    kernel.alone_ns = entry.alone_ns;
    kernel.time = entry.time.distribution();
    std::copy(entry.grid, entry.grid + 3, kernel.grid);
    std::copy(entry.block, entry.block + 3, kernel.block);
    kernel.registers_per_thread = entry.registers_per_thread;
    kernel.shared_bytes = entry.shared_bytes;
    kernel.occupancy = entry.occupancy.report(max_warps);
    device.kernel_sum_ns = saturating_add(device.kernel_sum_ns, kernel.time.total_ns);
    report::Family& family = families[name.family];
    family.calls += kernel.time.count;
    family.total_ns = saturating_add(family.total_ns, kernel.time.total_ns);
  });
  std::stable_sort(device.kernels.begin(), device.kernels.end(), [](const auto& a, const auto& b) {
    const std::int64_t of_a = saturating_add(a.alone_ns, a.time.total_ns);
    const std::int64_t of_b = saturating_add(b.alone_ns, b.time.total_ns);
    return of_a != of_b ? of_a > of_b : a.full_name < b.full_name;
  });
  for (auto& [name, family] : families) {
    family.name = name;
    device.families.push_back(family);
  }
  std::stable_sort(device.families.begin(), device.families.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
}

std::int64_t same_stream_as_kernels(const DeviceTally& tally, std::uint8_t key) {
  std::int64_t count = 0;
  for (const DeviceTally::StreamUse& use : tally.stream_uses()) {
    if (use.kernels == 0) continue;
    for (const auto& [copy, copies] : use.copies) {
      if (copy == key) count += copies;
    }
  }
  return count;
}

void add_copies(report::Device& device, const DeviceTally& tally) {
  tally.for_each_copy([&](std::uint8_t key, const CopyTally& entry) {
    if (entry.time.count() == 0) return;
    const int kinds = key % (kMemoryKinds * kMemoryKinds);
    report::Copy& copy = device.copies.emplace_back();
    if (is_set_key(key)) {
      copy.direction = "set";
    } else {
      copy.direction = kDirectionNames[key / (kMemoryKinds * kMemoryKinds)];
      copy.source = kMemoryNames[kinds / kMemoryKinds];
    }
    copy.destination = kMemoryNames[kinds % kMemoryKinds];
    copy.bytes = entry.bytes;
    copy.hidden_ns = entry.hidden_ns;
    copy.same_stream = same_stream_as_kernels(tally, key);
    copy.time = entry.time.distribution();
  });
  std::stable_sort(device.copies.begin(), device.copies.end(),
                   [](const auto& a, const auto& b) { return a.time.total_ns > b.time.total_ns; });
}

}  // namespace

report::Device device_report(const DeviceTally& tally, const Timeline& timeline,
                             const NameTable& names, std::uint32_t max_warps) {
  report::Device device;
  const DeviceTally::Sums& sums = tally.sums();
  device.time = sums.time;
  device.spacing_ns = sums.spacing_ns;
  device.launch_bound_ns = sums.launch_bound_ns;
  device.copy_ns = sums.copy_ns;
  device.copy_overlap_ns = sums.copy_overlap_ns;
  device.comm_ns = sums.comm_ns;
  device.comm_overlap_ns = sums.comm_overlap_ns;
  device.graph_granular_ns = sums.graph_granular_ns;
  device.operations = sums.operations;
  device.streams = static_cast<std::int64_t>(tally.streams());
  device.first_op_ns = std::max<std::int64_t>(tally.first_op_ns(), 0);
  device.last_op_ns = std::max(tally.last_op_ns(), device.first_op_ns);
  GapStats::Names gap_names;
  gap_names.kernel = [&names](std::uint32_t id) {
    return id == kNoString ? std::string() : names.name(id - 1).short_name;
  };
  gap_names.cause = [](std::uint32_t cause) {
    return std::string(cause_name(static_cast<Cause>(cause)));
  };
  device.gaps = tally.gaps().report(device.first_op_ns, gap_names);
  const Timeline::Result slices = timeline.finish(device.first_op_ns, device.last_op_ns);
  device.causes = tally.causes().report(
      sums.time.idle_ns, [&names](const EvidenceRef& e) { return evidence_text(e, names); },
      slices);
  device.timeline = slices.slices;
  device.slice_ns = slices.slice_ns;
  add_kernels(device, tally, names, max_warps);
  add_copies(device, tally);
  return device;
}

}  // namespace gapscope
