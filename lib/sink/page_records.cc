// What the figures rest on: records, our own cost, notes.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sink/figures.h"
#include "sink/page.h"

namespace gapscope::sink {
namespace {

void add(std::string& text, std::int64_t number, const char* what) {
  if (number != 0) absl::StrAppend(&text, ", ", count(number), " ", what);
}

void write_own_cost(const report::Self& self, Canvas& canvas) {
  std::string text;
  const auto piece = [&](std::int64_t ns, const char* what) {
    if (ns > 0)
      absl::StrAppend(&text, text.empty() ? "" : ", ", duration(static_cast<double>(ns)), " ",
                      what);
  };
  piece(self.callback_ns, "in callbacks (estimate)");
  piece(self.cupti_ns, "CUPTI on the program's threads (calibrated)");
  piece(self.collector_cpu_ns, "collector CPU");
  piece(self.flush_cpu_ns, "flush CPU");
  piece(self.host_cpu_ns, "sampling CPU");
  piece(self.exit_ns, "at exit");
  const double memory =
      static_cast<double>(self.ring_bytes) + static_cast<double>(self.buffer_bytes);
  if (memory > 0)
    absl::StrAppend(&text, text.empty() ? "" : "; ", bytes(memory), " of rings and buffers");
  if (!text.empty()) canvas.folded("Own cost", text);
}

}  // namespace

void write_records(const Page& page, Canvas& canvas) {
  const report::Records& records = page.report.records;
  std::string text =
      absl::StrCat(count(records.seen), " GPU operations, ", count(records.calls),
                   " calls; dropped ", count(records.dropped_ring), " (rings), ",
                   count(records.dropped_cupti), " (CUPTI); ", count(records.invalid), " invalid, ",
                   count(records.unmatched), " unmatched, ", count(records.late), " late");
  add(text, records.late_calls, "late calls");
  add(text, records.missing_nodes, "graph nodes missing");
  add(text, records.captured, "launches put into CUDA graphs");
  add(text, records.incomplete, "still running at the end");
  add(text, records.orphaned, "without a call");
  add(text, records.failed, "calls failed");
  add(text, records.overflow, "closed early");
  canvas.blank();
  canvas.folded("Records", text);
  const report::Process& process = page.report.process;
  std::vector<Span> tools;
  if (!process.cupti_version.empty()) tools.push_back({"libcupti " + process.cupti_version});
  if (!process.driver_version.empty()) tools.push_back({"driver " + process.driver_version});
  if (!tools.empty()) canvas.pieces("", tools);
  if (!process.cupti_path.empty()) canvas.folded("", process.cupti_path);
  write_own_cost(page.report.self, canvas);
}

void write_notes(const Page& page, Canvas& canvas) {
  const char* label = "Notes";
  const auto note = [&](const std::string& text) {
    canvas.folded(label, text);
    label = "";
  };
  for (const report::Device& device : page.scope.devices) {
    if (device.graph_granular_ns <= 0) continue;
    note(absl::StrCat(duration(static_cast<double>(device.graph_granular_ns)), " of GPU ",
                      device.device, "'s compute is known as whole CUDA graphs only"));
  }
  for (const std::string& warning : page.report.warnings) note(warning);
  if (!page.options.report_path.empty()) canvas.folded("Report", page.options.report_path);
}

}  // namespace gapscope::sink
