// The first five lines: what most people read.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "report/snapshot.h"
#include "sink/figures.h"
#include "sink/page.h"
#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

std::string run_time(const report::Process& process) {
  if (process.start_ns <= 0 || process.end_ns <= process.start_ns) return "";
  return duration(static_cast<double>(process.end_ns) - static_cast<double>(process.start_ns));
}

// "gapscope 0.1.0  python train.py  pid 4711 rank 0/1  exit 0  62.40 s"; the command gives way.
void write_process(const Page& page, Canvas& canvas) {
  const report::Process& process = page.report.process;
  std::string who = absl::StrCat("pid ", process.pid);
  if (!process.rank.empty()) absl::StrAppend(&who, " rank ", process.rank);
  std::vector<std::string> rest = {std::move(who)};
  if (!process.exit_status.empty()) rest.push_back(absl::StrCat("exit ", process.exit_status));
  if (const std::string time = run_time(process); !time.empty()) rest.push_back(time);
  std::string tail;
  for (const std::string& piece : rest) absl::StrAppend(&tail, "  ", piece);
  const std::string tool = absl::StrCat("gapscope ", process.version);
  const std::size_t taken = columns(tool) + 2 + columns(printable(tail, canvas.utf8()));
  const std::size_t room = canvas.width() > taken + 10 ? canvas.width() - taken : 10;
  const std::string command =
      cut(printable(short_command(process.command), canvas.utf8()), room, canvas.utf8());
  canvas.line({{tool, Style::label}, {command.empty() ? "" : "  " + command}, {tail}});
}

Style idle_style(std::int64_t tenths) {
  return tenths < 50 ? Style::good : tenths < 200 ? Style::warn : Style::bad;
}

// The shares are sums of the table's rounded rows, so that the two agree to the last digit.
void write_shares(const std::string& title, const std::vector<Part>& parts,
                  const std::string& scope, Canvas& canvas) {
  std::vector<double> ns;
  for (const Part& part : parts) ns.push_back(part.ns);
  const std::vector<std::int64_t> tenths = percent_tenths(ns);
  std::int64_t shares[5] = {0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < parts.size(); ++i)
    shares[static_cast<std::size_t>(parts[i].kind)] += tenths[i];
  static constexpr const char* kWords[5] = {"compute", "exposed comm", "copy only", "IDLE",
                                            "unknown"};
  std::vector<Span> spans;
  for (std::size_t kind = 0; kind < 5; ++kind) {
    const bool always = kind == 0 || kind == 2 || kind == 3;
    if (!always && shares[kind] == 0) continue;
    const Style style = kind == 3   ? idle_style(shares[kind])
                        : kind == 4 ? Style::warn
                                    : Style::plain;
    spans.push_back({absl::StrCat(kWords[kind], " ", scaled_fixed(shares[kind], 1), " %"), style});
  }
  spans.push_back({scope, Style::faint});
  canvas.pieces(columns(title) < kLabelWidth ? title : title + "  ", spans);
}

void write_few_operations(const report::Device& device, Canvas& canvas) {
  const double window = static_cast<double>(device.time.window_ns);
  const double busy = window - static_cast<double>(device.time.idle_ns) -
                      static_cast<double>(device.time.unknown_ns);
  canvas.folded(device_title(device) + "  ",
                absl::StrCat(count(device.operations), " operations: busy ", duration(busy),
                             " of a window of ", duration(window)));
}

void write_why_idle(const Page& page, Canvas& canvas) {
  const auto devices = full_devices(page.scope);
  const std::vector<Part> parts =
      devices.size() == 1 ? time_parts(*devices.front()) : summed_parts(devices);
  std::vector<double> ns;
  for (const Part& part : parts) ns.push_back(part.ns);
  const std::vector<std::int64_t> tenths = percent_tenths(ns);
  std::size_t first = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Part::Kind::idle && (first == parts.size() || ns[i] > ns[first]))
      first = i;
  }
  if (first == parts.size() || ns[first] <= 0) return;
  std::string evidence = parts[first].evidence;
  if (evidence.empty() && devices.size() > 1) {
    for (const report::Device* device : devices)
      for (const Part& part : time_parts(*device))
        if (part.label == parts[first].label && evidence.empty()) evidence = part.evidence;
  }
  canvas.labelled(
      "WHY IDLE",
      {{absl::StrCat(parts[first].label, " ", scaled_fixed(tenths[first], 1), " %"), Style::warn},
       {evidence.empty() ? "" : ": " + evidence}});
}

constexpr std::size_t kLeastClause = 10;

// The edit itself: what stands before the reason; cut between its arguments where it is too long.
std::string first_clause(std::string text, std::size_t room, bool utf8) {
  const std::size_t colon = text.find(": ");
  if (colon != std::string::npos && colon >= kLeastClause) text.resize(colon);
  if (columns(text) <= room) return text;
  const std::size_t fits = fitting_bytes(text, room - 2);
  const std::size_t comma = text.rfind(", ", fits);
  if (comma == std::string::npos || comma < 8) return cut(text, room, utf8);
  return text.substr(0, comma) + (utf8 ? "\u2026" : "..");
}

void write_try_first(const Page& page, Canvas& canvas) {
  if (page.report.advice.empty()) return;
  const report::Advice& advice = page.report.advice.front();
  std::string bound = bound_text(page, canvas, advice);
  if (const std::string factor = bound_factor(advice); !factor.empty())
    absl::StrAppend(&bound, " (up to ", factor, ")");
  const std::size_t taken = kLabelWidth + 2 + columns(bound);
  const std::size_t room = canvas.width() > taken + 12 ? canvas.width() - taken : 12;
  canvas.labelled(
      "TRY FIRST",
      {{first_clause(printable(advice.text, canvas.utf8()), room, canvas.utf8()) + ": "}, {bound}});
}

}  // namespace

void write_snapshot_on_top(const Page& page, Canvas& canvas) {
  if (!report::is_snapshot(page.report)) return;
  const std::int64_t start_ns = page.report.process.start_ns;
  const std::int64_t until_ns = page.report.complete_until_ns;
  canvas.folded(
      "SNAPSHOT",
      until_ns > start_ns
          ? absl::StrCat("complete until ",
                         duration(static_cast<double>(until_ns) - static_cast<double>(start_ns)),
                         " after the start of the process; what came later is not in it")
          : "taken before any figure was complete",
      Style::warn);
}

void write_device_shares(const Page& page, Canvas& canvas) {
  const auto full = full_devices(page.scope);
  const std::string& capture = page.report.process.capture;
  const char* whole = capture.empty() || capture == "all" ? "whole" : "range";
  const std::string scope = absl::StrCat("(this process, ", page.steady ? "steady" : whole, ")");
  for (const report::Device* device : full)
    write_shares(device_title(*device), time_parts(*device), scope, canvas);
  if (full.size() > 1) {
    write_shares(absl::StrCat(full.size(), " GPUs"), summed_parts(full), "(of device-seconds)",
                 canvas);
  }
  for (const report::Device& device : page.scope.devices) {
    if (std::find(full.begin(), full.end(), &device) == full.end())
      write_few_operations(device, canvas);
  }
}

void write_headline(const Page& page, Canvas& canvas) {
  write_process(page, canvas);
  write_device_shares(page, canvas);
  const auto full = full_devices(page.scope);
  const bool causes = std::any_of(full.begin(), full.end(),
                                  [](const auto* device) { return !device->causes.empty(); });
  if (causes) write_why_idle(page, canvas);
  write_try_first(page, canvas);
  write_trust(page, canvas);
}

}  // namespace gapscope::sink
