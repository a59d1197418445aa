// How far the figures can be trusted: one line among the first, and warnings above the page.
#include "absl/strings/str_cat.h"
#include "report/trust.h"
#include "sink/figures.h"
#include "sink/page.h"

namespace gapscope::sink {
namespace {

double unattributed_ns(const std::vector<const report::Device*>& devices) {
  double ns = 0;
  for (const report::Device* device : devices)
    for (const report::Cause& cause : device->causes)
      if (cause.cause == "unattributed") ns += static_cast<double>(cause.idle_ns);
  return ns;
}

std::string host_cost(const report::Self& self) {
  const double ns = static_cast<double>(self.callback_ns) +
                    static_cast<double>(self.collector_cpu_ns) +
                    static_cast<double>(self.flush_cpu_ns) + static_cast<double>(self.host_cpu_ns);
  if (!(ns > 0)) return "host cost not measured here";
  if (self.cupti_ns == 0) return absl::StrCat("host cost ~", duration(ns), " + CUPTI's own");
  const auto cupti_ns = static_cast<double>(self.cupti_ns);
  const double all_ns = ns + cupti_ns;
  return absl::StrCat("host cost ~", duration(all_ns), " (", fixed(100 * cupti_ns / all_ns, 0),
                      " % CUPTI)");
}

// What was not lost but came too late, or with times that a clock's step had moved.
std::string doubtful_times(const report::Report& report) {
  const report::Records& r = report.records;
  std::string text;
  if (report::late_share(report) > report::kNegligibleTime) {
    absl::StrAppend(&text, "; ", count(r.late), " late, up to ",
                    percent(report::late_share(report), 1), " of the time reads as idle for it");
  } else if (static_cast<double>(r.late) > report::kNegligibleRecords * report::all_records(r)) {
    absl::StrAppend(&text, "; ", count(r.late), " late");
  }
  if (report::late_calls_share(report) > report::kNegligibleRecords)
    absl::StrAppend(&text, "; ", count(r.late_calls), " calls late");
  if (r.missing_nodes > 0)
    absl::StrAppend(&text, "; ", count(r.missing_nodes), " graph nodes missing");
  if (report::clock_step_share(report) > report::kNegligibleTime) {
    absl::StrAppend(&text, "; clock stepped by ",
                    duration(static_cast<double>(report.clock_step_ns)));
  }
  return text;
}

}  // namespace

void write_trust(const Page& page, Canvas& canvas) {
  const double lost = report::lost_records(page.report.records);
  const auto devices = full_devices(page.scope);
  double window = 0;
  double unknown = 0;
  bool causes = false;
  for (const report::Device* device : devices) {
    window += static_cast<double>(device->time.window_ns);
    unknown += static_cast<double>(device->time.unknown_ns);
    causes = causes || !device->causes.empty();
  }
  std::string text = absl::StrCat(fixed(lost, 0), lost == 1 ? " record lost" : " records lost");
  const std::string doubtful = doubtful_times(page.report);
  absl::StrAppend(&text, doubtful);
  if (causes && window > 0)
    absl::StrAppend(&text, "; ", percent(unattributed_ns(devices), window), " unattributed");
  if (unknown > 0) absl::StrAppend(&text, "; ", percent(unknown, window), " unknown");
  absl::StrAppend(&text, "; ", host_cost(page.report.self));
  const bool sure = lost == 0 && unknown == 0 && doubtful.empty();
  canvas.folded("TRUST", text, sure ? Style::plain : Style::warn);
}

void write_warning_on_top(const Page& page, Canvas& canvas) {
  const report::Report& report = page.report;
  const auto warning = [&](const std::string& text) { canvas.folded("WARNING", text, Style::bad); };
  const double lost = report::lost_records(report.records);
  const double all = report::all_records(report.records);
  if (lost > report::kNegligibleRecords * all) {
    warning(absl::StrCat(fixed(lost, 0), " of ", fixed(all, 0), " records (", percent(lost, all, 2),
                         ") were lost: totals are bounds, and a lost kernel reads as idle. "
                         "\"Records\" below says where."));
  }
  if (report::late_share(report) > report::kAlarmingTime) {
    warning(absl::StrCat(
        count(report.records.late), " records came after their time had been summed up: up to ",
        percent(report::late_share(report), 1), " of the time was busy and reads as idle"));
  }
  if (report::clock_step_share(report) > report::kAlarmingTime) {
    warning(absl::StrCat("the system clock was stepped by ",
                         duration(static_cast<double>(report.clock_step_ns)),
                         " while this ran: times across the step are off by as much"));
  }
  if (report.truncated) {
    warning(
        "the record ends early: CUPTI stopped or the recording was cut off; figures are of what "
        "came before");
  }
}

}  // namespace gapscope::sink
