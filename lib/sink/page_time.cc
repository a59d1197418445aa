// Where the window went: steps, what was left out, the table, busy over time, gaps.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sink/figures.h"
#include "sink/page.h"
#include "sink/safe_text.h"
#include "sink/table.h"

namespace gapscope::sink {
namespace {

constexpr std::size_t kSparkColumns = 60;
constexpr double kSameTime = 0.01;

double longest_window(const report::Scope& scope) {
  double longest = 0;
  for (const report::Device& device : scope.devices)
    longest = std::max(longest, static_cast<double>(device.time.window_ns));
  return longest;
}

// "detected, 4 per optimiser step" says to nobody what was detected, or in what.
std::string source_words(const std::string& source) {
  std::string_view rest = source;
  if (!absl::ConsumePrefix(&rest, "detected")) return source;
  return absl::StrCat("found in the kernels' order, none marked", rest);
}

std::string outside_words(const report::Report& report) {
  const std::string& capture = report.process.capture;
  return absl::StrCat(count(report.records.outside), " GPU operations ",
                      capture.empty() || capture == "all"
                          ? "launched after the end"
                          : absl::StrCat("outside GAPSCOPE_CAPTURE=", capture));
}

std::string steps_text(const Page& page) {
  const report::Steps& steps = page.report.steps;
  const double count_steps = static_cast<double>(std::max<std::int64_t>(steps.time.count, 1));
  const double mean = static_cast<double>(steps.time.total_ns) / count_steps;
  const Unit unit = unit_for(mean);
  const auto in = [&](double ns) { return fixed(ns / unit.ns, 1); };
  const bool one = steps.time.count == 1;
  // The window is said to be the steps only where it is.
  const double window = longest_window(page.scope);
  const auto total = static_cast<double>(steps.time.total_ns);
  const bool fills = std::fabs(window - total) <= kSameTime * window;
  return absl::StrCat(
      duration(window), fills ? " = " : ", in it ", count(steps.time.count), " ",
      page.step_word == std::string("iter") ? (one ? "iteration" : "iterations")
                                            : (one ? "step" : "steps"),
      steps.source.empty() ? "" : absl::StrCat(" (", source_words(steps.source), ")"), ": mean ",
      in(mean), ", p50 ", in(static_cast<double>(steps.time.p50_ns)), ", p99 ",
      in(static_cast<double>(steps.time.p99_ns)), " ", unit.name);
}

std::string ordinal(std::int64_t n) {
  const std::int64_t tens = n % 100 / 10;
  const std::int64_t ones = tens == 1 ? 0 : n % 10;
  const char* ending = ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return absl::StrCat(count(n), ending);
}

void write_worst_step(const Page& page, Canvas& canvas) {
  const report::Steps& steps = page.report.steps;
  if (steps.worst_cause.empty() && steps.slow_period == 0) return;
  std::string text = absl::StrCat("step ", count(steps.worst_index), " took ",
                                  duration(static_cast<double>(steps.time.max_ns)));
  if (!steps.worst_cause.empty()) absl::StrAppend(&text, ", mostly ", steps.worst_cause);
  if (steps.slow_period > 0)
    absl::StrAppend(&text, "; every ", ordinal(steps.slow_period), " step is slow");
  canvas.folded("Worst step", text);
}

std::string left_out(const Page& page) {
  const report::Report& report = page.report;
  std::vector<std::string> pieces;
  const auto add = [&](std::int64_t ns, const std::string& what) {
    if (ns > 0) pieces.push_back(absl::StrCat(duration(static_cast<double>(ns)), " ", what));
  };
  add(report.lead_in_ns, "before first op");
  std::string warm_up = "warm-up";
  if (report.steps.warmup_steps > 0)
    absl::StrAppend(&warm_up, " (", count(report.steps.warmup_steps),
                    report.steps.warmup_steps == 1 ? " step)" : " steps)");
  if (page.steady) add(report.warmup_ns, warm_up);
  add(report.tail_ns, "after last");
  if (report.records.outside > 0) pieces.push_back(outside_words(report));
  std::string text;
  for (const std::string& piece : pieces) absl::StrAppend(&text, text.empty() ? "" : ", ", piece);
  return text;
}

std::vector<std::string> cells(const std::vector<std::int64_t>& scaled, int decimals) {
  std::vector<std::string> text;
  for (const std::int64_t value : scaled) text.push_back(scaled_fixed(value, decimals));
  return text;
}

// Every column is rounded so that its rows add up to its total.
void write_table(const Page& page, const std::string& corner, const std::vector<Part>& parts,
                 double steps, Canvas& canvas) {
  std::vector<double> ns;
  double total = 0;
  for (const Part& part : parts) {
    ns.push_back(part.ns);
    total += part.ns;
  }
  const auto scaled_by = [&](double by) {
    std::vector<double> values;
    for (const double value : ns) values.push_back(value / by);
    return values;
  };
  const Unit unit = unit_for(total);
  const Unit step_unit = unit_for(total / std::max(steps, 1.0));
  const double step_ns = step_unit.ns * std::max(steps, 1.0);
  const int decimals = total / unit.ns < 9.995 ? 3 : 2;
  const auto time = cells(apportion(scaled_by(unit.ns), total / unit.ns, decimals), decimals);
  const auto share = cells(percent_tenths(ns), 1);
  const int step_decimals = total / step_ns < 9.995 ? 2 : 1;
  const auto step =
      cells(apportion(scaled_by(step_ns), total / step_ns, step_decimals), step_decimals);

  Table table(Table::Fold::wrap);
  table.column(corner, Table::Align::left, 0, 16);
  table.column(unit.name, Table::Align::right, 0, 8);
  table.column("%", Table::Align::right, 0, 5);
  table.column(absl::StrCat(step_unit.name, "/", page.step_word), Table::Align::right, 1);
  table.column("evidence", Table::Align::left);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    table.row({parts[i].label, time[i], total > 0 ? share[i] : "-", step[i], parts[i].evidence});
  }
  table.row({"total", fixed(total / unit.ns, decimals), total > 0 ? "100.0" : "-",
             fixed(total / step_ns, step_decimals), ""},
            Style::label);
  if (steps <= 0) table.hide(3);
  table.print(canvas, 0);
}

const char* spark(double busy, bool utf8) {
  static constexpr const char* kBlocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                            "\u2585", "\u2586", "\u2587", "\u2588"};
  static constexpr const char* kAscii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
  const auto level = static_cast<std::size_t>(std::clamp(busy * 8, 0.0, 7.0));
  return utf8 ? kBlocks[level] : kAscii[level];
}

// One character a slice; neighbours share one where the page is narrow.
void write_busy_over_time(const report::Device& device, Canvas& canvas) {
  const auto& slices = device.timeline;
  if (slices.size() < 2 || device.slice_ns <= 0) return;
  const std::size_t room = std::min(kSparkColumns, canvas.width() - kLabelWidth);
  const std::size_t merged = (slices.size() + room - 1) / room;
  std::string line;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < slices.size(); at += merged, ++shown) {
    double busy = 0;
    double seen = 0;
    for (std::size_t i = at; i < std::min(at + merged, slices.size()); ++i) {
      busy += static_cast<double>(slices[i].busy_ns);
      seen += static_cast<double>(slices[i].busy_ns) + static_cast<double>(slices[i].idle_ns);
    }
    line += seen > 0 ? spark(busy / seen, canvas.utf8()) : " ";
  }
  canvas.labelled("Busy", {{line, Style::good}});
  const std::string slice =
      duration(static_cast<double>(device.slice_ns) * static_cast<double>(merged));
  canvas.labelled("", {{absl::StrCat(shown, " slices of ", slice, "; ", spark(0, canvas.utf8()),
                                     " idle, ", spark(1, canvas.utf8()), " busy"),
                        Style::faint}});
}

void write_gaps(const report::Device& device, Canvas& canvas) {
  const report::Gaps& gaps = device.gaps;
  if (gaps.count == 0) return;
  std::string text = absl::StrCat(count(gaps.listed_count), " of 5 us or more");
  if (gaps.half_ns > 0)
    absl::StrAppend(&text, "; half of the idle time is in gaps >= ",
                    duration(static_cast<double>(gaps.half_ns)));
  canvas.folded("Gaps", text);
}

}  // namespace

void write_window(const Page& page, Canvas& canvas) {
  if (page.report.steps.time.count > 0) {
    canvas.folded(page.steady ? "Steady" : "Window", steps_text(page));
    write_worst_step(page, canvas);
  } else {
    canvas.folded(
        "Window",
        absl::StrCat(duration(longest_window(page.scope)),
                     ", first to last GPU operation; no steps marked, no iteration found"));
  }
  if (const std::string text = left_out(page); !text.empty()) canvas.folded("Left out", text);
}

void write_device_time(const Page& page, const report::Device& device, Canvas& canvas) {
  const bool several = full_devices(page.scope).size() > 1;
  write_table(page,
              several ? absl::StrCat("GPU ", device.device, ", ", page.steady ? "steady" : "whole")
                      : std::string(page.window_word),
              time_parts(device), page.steps, canvas);
  canvas.blank();
  write_busy_over_time(device, canvas);
  write_gaps(device, canvas);
}

void write_device_sum(const Page& page, Canvas& canvas) {
  const auto devices = full_devices(page.scope);
  if (devices.size() < 2) return;
  canvas.blank();
  write_table(page, absl::StrCat(devices.size(), " GPUs, device-time"), summed_parts(devices), 0,
              canvas);
}

}  // namespace gapscope::sink
