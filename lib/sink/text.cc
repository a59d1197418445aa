#include "sink/text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sink/figures.h"
#include "sink/page.h"
#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

// Launches whose device record was to be expected.
double expected_launches(const report::Scope& scope) {
  double launches = 0;
  for (const report::HostCall& call : scope.host_calls) {
    if (call.category != "launch" && call.category != "graph launch") continue;
    launches += static_cast<double>(call.time.count) - static_cast<double>(call.captured) -
                static_cast<double>(call.failed);
  }
  return launches;
}

std::string why_no_device(const report::Report& report) {
  const double launches = expected_launches(report.whole);
  if (report.records.outside > 0) {
    return absl::StrCat("no GPU operation inside GAPSCOPE_CAPTURE=", report.process.capture, "; ",
                        count(report.records.outside), " outside it");
  }
  const std::int64_t lost = report.records.dropped_cupti + report.records.invalid;
  if (launches > 0 && lost > 0) {
    return absl::StrCat(
        fixed(launches, 0),
        " launches seen, but none of their device records: ", count(report.records.dropped_cupti),
        " were dropped (see "
        "GAPSCOPE_BUFFER_LIMIT), ",
        count(report.records.invalid), " had impossible times. Nothing is known of GPU time.");
  }
  // Records of the device come after those of the calls: here they had not come yet.
  if (launches > 0 && report.truncated) {
    return absl::StrCat(fixed(launches, 0),
                        " launches seen, but the record ends before the first device record. "
                        "Nothing is known of GPU time.");
  }
  if (launches > 0) {
    return absl::StrCat(
        fixed(launches, 0),
        " launches seen, but no device records: likely the driver restricts profiling to "
        "administrators (RmProfilingAdminOnly=1 in /proc/driver/nvidia/params), or this is WSL "
        "without profiling support, or another tool holds CUPTI. Nothing is known of GPU time.");
  }
  if (report.records.calls > 0)
    return absl::StrCat(count(report.records.calls), " CUDA calls, but no GPU operation");
  return "no CUDA work in this process";
}

// Without device records there are no figures: say so and why, never "idle 100 %".
void write_no_device(const Page& page, Canvas& canvas) {
  const report::Process& process = page.report.process;
  const bool none = page.report.records.calls <= 0;
  std::vector<Span> line = {{absl::StrCat("gapscope ", process.version, "  "), Style::label}};
  if (!process.command.empty()) {
    const std::string safe = printable(short_command(process.command), canvas.utf8());
    line.push_back({cut(safe, canvas.width() / 3, canvas.utf8()) + "  "});
  }
  line.push_back({absl::StrCat("pid ", process.pid, none ? "  " : "")});
  if (none) line.push_back({why_no_device(page.report)});
  canvas.line(line);
  if (!none) canvas.folded("NO FIGURES", why_no_device(page.report), Style::warn);
  write_notes(page, canvas);
}

void write_device_tables(const Page& page, const report::Device& device, Canvas& canvas) {
  write_findings(page, device, canvas);
  write_kernels(device, canvas);
  write_copies(device, canvas);
  write_longest_gaps(device, canvas);
}

// What belongs to the host stands after the only device's shares, or after all devices' blocks.
void write_page(const Page& page, Canvas& canvas) {
  canvas.blank();
  write_window(page, canvas);
  const auto devices = full_devices(page.scope);
  const bool several = devices.size() > 1;
  for (const report::Device* device : devices) {
    canvas.blank();
    write_device_time(page, *device, canvas);
    if (!several) continue;
    write_families(*device, canvas);
    write_device_tables(page, *device, canvas);
  }
  write_device_sum(page, canvas);
  if (several) canvas.blank();
  write_waits(page, canvas);
  write_overlap(page, canvas);
  if (devices.size() == 1) write_families(*devices.front(), canvas);
  write_advice(page, canvas);
  if (devices.size() == 1) write_device_tables(page, *devices.front(), canvas);
  write_calls(page, canvas);
  write_ranges(page, canvas);
  write_records(page, canvas);
  write_notes(page, canvas);
}

}  // namespace

std::string to_text(const report::Report& report, const TextOptions& options) {
  Canvas canvas(options);
  const Page page(report, options);
  write_snapshot_on_top(page, canvas);
  if (page.scope.devices.empty()) {
    write_no_device(page, canvas);
    return canvas.take();
  }
  write_warning_on_top(page, canvas);
  write_headline(page, canvas);
  if (options.brief) {
    canvas.folded("Full report", options.report_path.empty()
                                     ? "set GAPSCOPE_REPORT=report.json to keep it"
                                     : options.report_path);
    return canvas.take();
  }
  write_page(page, canvas);
  return canvas.take();
}

std::string to_shares(const report::Report& report, const TextOptions& options) {
  Canvas canvas(options);
  const Page page(report, options);
  if (page.scope.devices.empty()) {
    canvas.folded("", why_no_device(report));
  } else {
    write_device_shares(page, canvas);
  }
  return canvas.take();
}

}  // namespace gapscope::sink
