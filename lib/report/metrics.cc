#include "report/metrics.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/per_step.h"
#include "report/trust.h"

namespace gapscope::report {
namespace {

using Value = absl::StatusOr<double>;

constexpr std::array<MetricInfo, 18> kMetrics = {{
    {"idle_pct", "idle time, % of the window; [CAUSE] for one cause"},
    {"compute_pct", "compute time, % of the window"},
    {"comm_pct", "exposed communication, % of the window"},
    {"copy_pct", "copy-only time, % of the window"},
    {"unknown_pct", "time of launches without a device record, % of the window"},
    {"unattributed_pct", "idle time without a cause, % of the window"},
    {"overlap_pct", "CPU/GPU overlap: both / (both + CPU only)"},
    {"idle_time", "idle time, ms per step; [CAUSE] for one cause"},
    {"compute_time", "compute time, ms per step"},
    {"comm_time", "exposed communication, ms per step"},
    {"copy_time", "copy-only time, ms per step"},
    {"kernel_time", "time of all kernels summed over streams, ms per step; [NAME] for one kernel"},
    {"kernel_calls", "kernel launches per step; [NAME] for one kernel"},
    {"step_time", "mean time of a step, ms"},
    {"step_p50", "median time of a step, ms"},
    {"step_p99", "99th percentile of the time of a step, ms"},
    {"run_time", "first to last device operation of the whole run, s"},
    {"lost", "records lost: dropped, invalid, unmatched or closed early"},
}};

double ns(std::int64_t value) { return static_cast<double>(value); }

template <class F>
double over_devices(const Basis& basis, F figure) {
  double sum = 0;
  for (const Device& device : basis.scope.devices) sum += figure(device);
  return sum;
}

double idle_ns(const Device& device, const std::string& cause) {
  if (cause.empty()) return ns(device.time.idle_ns);
  double sum = 0;
  for (const Cause& entry : device.causes)
    if (entry.cause == cause) sum += ns(entry.idle_ns);
  return sum;
}

absl::Status missing(const Metric& metric, std::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(metric.text(), ": ", why));
}

absl::Status needs_causes(const Basis& basis, const Metric& metric) {
  for (const Device& device : basis.scope.devices)
    if (!device.causes.empty()) return absl::OkStatus();
  return missing(metric, "the report has no causes");
}

// Parts of the window by the metric's name, without its _pct or _time.
Value part_ns(const Basis& basis, const Metric& metric, std::string_view part) {
  if (basis.scope.devices.empty()) return missing(metric, "the report has no device");
  std::string cause = metric.selector;
  if (part == "unattributed") cause = "unattributed";
  if (!cause.empty()) {
    if (absl::Status status = needs_causes(basis, metric); !status.ok()) return status;
  }
  return over_devices(basis, [&](const Device& device) {
    if (part == "idle" || part == "unattributed") return idle_ns(device, cause);
    if (part == "compute") return ns(device.time.compute_ns);
    if (part == "comm") return ns(device.time.comm_exposed_ns);
    if (part == "copy") return ns(device.time.copy_only_ns);
    return ns(device.time.unknown_ns);
  });
}

Value percentage(const Basis& basis, const Metric& metric, std::string_view part) {
  const Value time = part_ns(basis, metric, part);
  if (!time.ok()) return time;
  const double window = over_devices(basis, [](const Device& d) { return ns(d.time.window_ns); });
  if (!(window > 0)) return missing(metric, "the window is empty");
  return *time / window * 100;
}

Value kernel_figure(const Basis& basis, const Metric& metric) {
  const bool calls = metric.name == "kernel_calls";
  double sum = 0;
  bool found = false;
  for (const Device& device : basis.scope.devices) {
    for (const Kernel& kernel : device.kernels) {
      const bool chosen = metric.selector.empty() || kernel.name == metric.selector ||
                          kernel.full_name == metric.selector;
      if (!chosen) continue;
      found = true;
      sum += calls ? ns(kernel.time.count) : ns(kernel.time.total_ns);
    }
  }
  if (!found) {
    return missing(metric, metric.selector.empty() ? "the report has no kernel"
                                                   : "no kernel of that name in the report");
  }
  return sum / basis.divisor() / (calls ? 1 : 1e6);
}

Value step_figure(const Basis& basis, const Metric& metric) {
  const Distribution& time = basis.report.steps.time;
  if (time.count <= 0) return missing(metric, "the report has no steps");
  if (metric.name == "step_p50") return ns(time.p50_ns) / 1e6;
  if (metric.name == "step_p99") return ns(time.p99_ns) / 1e6;
  return ns(time.total_ns) / ns(time.count) / 1e6;
}

Value overlap_figure(const Basis& basis, const Metric& metric) {
  const Overlap& overlap = basis.scope.overlap;
  const double cpu = ns(overlap.both_ns) + ns(overlap.cpu_only_ns);
  if (!(cpu > 0)) return missing(metric, "no CPU time is known");
  return ns(overlap.both_ns) / cpu * 100;
}

Value run_time(const Basis& basis, const Metric& metric) {
  if (basis.report.whole.devices.empty()) return missing(metric, "the report has no device");
  double longest = 0;
  for (const Device& device : basis.report.whole.devices)
    longest = std::max(longest, ns(device.time.window_ns));
  return longest / 1e9;
}

bool takes_selector(std::string_view name) {
  return name == "idle_pct" || name == "idle_time" || name == "kernel_time" ||
         name == "kernel_calls";
}

}  // namespace

Basis::Basis(const Report& full_report)
    : report(full_report), scope(shown_scope(full_report)), steps(steps_shown(full_report)) {}

absl::Span<const MetricInfo> metrics() { return kMetrics; }

std::string Metric::text() const {
  return selector.empty() ? name : absl::StrCat(name, "[", selector, "]");
}

absl::StatusOr<Metric> parse_metric(std::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  Metric metric;
  if (const std::size_t open = text.find('['); open != std::string_view::npos) {
    if (text.back() != ']')
      return absl::InvalidArgumentError(absl::StrCat("no closing bracket in '", text, "'"));
    metric.selector =
        std::string(absl::StripAsciiWhitespace(text.substr(open + 1, text.size() - open - 2)));
    text = absl::StripTrailingAsciiWhitespace(text.substr(0, open));
    if (metric.selector.empty())
      return absl::InvalidArgumentError(absl::StrCat("nothing between the brackets of ", text));
  }
  metric.name = std::string(text);
  const bool known = std::any_of(kMetrics.begin(), kMetrics.end(),
                                 [&](const MetricInfo& info) { return info.name == text; });
  if (!known) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no metric '", text,
        "'; known: ", absl::StrJoin(kMetrics, " ", [](std::string* out, const MetricInfo& info) {
          absl::StrAppend(out, info.name);
        })));
  }
  if (!metric.selector.empty() && !takes_selector(text))
    return absl::InvalidArgumentError(absl::StrCat(text, " takes no [", metric.selector, "]"));
  return metric;
}

absl::StatusOr<double> metric_value(const Report& report, const Metric& metric) {
  const Basis basis(report);
  const std::string_view name = metric.name;
  if (name == "lost") return lost_records(report.records);
  if (name == "overlap_pct") return overlap_figure(basis, metric);
  if (name == "run_time") return run_time(basis, metric);
  if (name.substr(0, 7) == "kernel_") return kernel_figure(basis, metric);
  if (name.substr(0, 5) == "step_") return step_figure(basis, metric);
  const std::size_t cut = name.rfind('_');
  const std::string_view part = name.substr(0, cut);
  if (cut != std::string_view::npos && name.substr(cut) == "_pct")
    return percentage(basis, metric, part);
  const Value time = part_ns(basis, metric, part);
  if (!time.ok()) return time;
  return *time / basis.divisor() / 1e6;
}

}  // namespace gapscope::report
