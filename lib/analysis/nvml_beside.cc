#include "analysis/nvml_beside.h"

#include <algorithm>

#include "fmt/format.h"

namespace gapscope {
namespace {

// Of [since_ns, end_ns), to the width of a slice of the timeline.
double busy_pct(const report::Device& device, std::int64_t since_ns, std::int64_t end_ns) {
  if (end_ns <= since_ns || device.slice_ns <= 0) return 0;
  double busy_ns = 0;
  double begin_ns = static_cast<double>(device.first_op_ns);
  const auto width_ns = static_cast<double>(device.slice_ns);
  for (const report::Device::Slice& slice : device.timeline) {
    // The last one ends with the last operation.
    const double slice_end_ns =
        std::min(begin_ns + width_ns, static_cast<double>(device.last_op_ns));
    const double from_ns = std::max(begin_ns, static_cast<double>(since_ns));
    const double to_ns = std::min(slice_end_ns, static_cast<double>(end_ns));
    if (from_ns < to_ns)
      busy_ns += static_cast<double>(slice.busy_ns) * (to_ns - from_ns) / (slice_end_ns - begin_ns);
    begin_ns += width_ns;
  }
  const double all_ns = static_cast<double>(end_ns) - static_cast<double>(since_ns);
  return std::clamp(100 * busy_ns / all_ns, 0.0, 100.0);
}

}  // namespace

void put_nvml_beside(report::Report& report, std::int64_t end_ns) {
  for (report::Gpu& gpu : report.process.environment.gpus) {
    if (!gpu.nvml) continue;
    const auto device =
        std::find_if(report.whole.devices.begin(), report.whole.devices.end(),
                     [&](const report::Device& d) { return d.device == gpu.device; });
    if (device == report.whole.devices.end()) continue;
    if (gpu.nvml->utilisation_since_ns > 0) {
      gpu.nvml->own_busy_pct = busy_pct(*device, gpu.nvml->utilisation_since_ns, end_ns);
    }
    if (gpu.nvml->processes > 1) {
      report.warnings.push_back(fmt::format(
          "GPU {} was shared: {} processes had a context on it as this one ended (NVML); what the "
          "others ran there reads as idle here",
          gpu.device, gpu.nvml->processes));
    }
  }
}

}  // namespace gapscope
