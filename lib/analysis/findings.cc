#include "analysis/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace gapscope {
namespace {

// A copy that hides half of itself under kernels is overlapped well enough not to be listed.
constexpr double kHiddenEnough = 0.5;
// Of the window: smaller findings are noise.
constexpr double kWorthListing = 0.01;
constexpr double kSerial = 1.05;  // mean number of streams at work while any is

bool worth(std::int64_t ns, const report::Device& device) {
  return static_cast<double>(ns) >= kWorthListing * static_cast<double>(device.time.window_ns) &&
         ns > 0;
}

std::string where(const report::Copy& copy) {
  if (copy.direction == "set") return fmt::format("memset of {} memory", copy.destination);
  return fmt::format("{} {} -> {}", copy.direction, copy.source, copy.destination);
}

void add_copies(const report::Device& device, std::vector<report::Finding>* out) {
  for (const report::Copy& copy : device.copies) {
    const std::int64_t bare_ns = copy.time.total_ns - copy.hidden_ns;
    const auto total = static_cast<double>(copy.time.total_ns);
    if (!worth(bare_ns, device) || static_cast<double>(copy.hidden_ns) > kHiddenEnough * total) {
      continue;
    }
    report::Finding finding;
    finding.finding = "copy not overlapped";
    finding.ns = bare_ns;
    finding.text = where(copy);
    if (copy.source == "pageable" || copy.destination == "pageable") {
      finding.text += ", pageable memory: the copy is staged and cannot run beside kernels";
    }
    if (copy.same_stream > 0) {
      finding.text += fmt::format(", {} of {} on a stream that also runs kernels", copy.same_stream,
                                  copy.time.count);
    }
    out->push_back(std::move(finding));
  }
}

void add_communication(const report::Device& device, std::vector<report::Finding>* out) {
  if (!worth(device.time.comm_exposed_ns, device)) return;
  report::Finding finding;
  finding.finding = "exposed communication";
  finding.ns = device.time.comm_exposed_ns;
  finding.text = fmt::format(
      "{:.0f} % of communication time has no compute beside it; waiting for "
      "other ranks is part of it",
      100.0 * static_cast<double>(device.time.comm_exposed_ns) /
          static_cast<double>(std::max<std::int64_t>(device.comm_ns, 1)));
  out->push_back(std::move(finding));
}

void add_streams(const report::Device& device, std::vector<report::Finding>* out) {
  const std::int64_t busy_ns =
      device.time.compute_ns + device.time.comm_exposed_ns + device.time.copy_only_ns;
  if (device.streams < 3 || busy_ns <= 0) return;
  double sum_ns = static_cast<double>(device.kernel_sum_ns);
  for (const report::Copy& copy : device.copies) sum_ns += static_cast<double>(copy.time.total_ns);
  const double concurrency = sum_ns / static_cast<double>(busy_ns);
  if (concurrency >= kSerial) return;
  report::Finding finding;
  finding.finding = "streams do not overlap";
  finding.text =
      fmt::format("{} streams, mean concurrency {:.2f} while busy", device.streams, concurrency);
  out->push_back(std::move(finding));
}

}  // namespace

std::vector<report::Finding> findings(const report::Device& device) {
  std::vector<report::Finding> out;
  add_copies(device, &out);
  add_communication(device, &out);
  add_streams(device, &out);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace gapscope
