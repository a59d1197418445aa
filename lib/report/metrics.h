// Named figures of a report: what gates and diffs compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "report/report.h"

namespace gapscope::report {

// The part of a report that is compared: the steady state where steps are known, else the whole.
struct Basis {
  explicit Basis(const Report& full_report);
  const Report& report;
  const Scope& scope;
  double steps;  // that fill the scope, see steps_shown(); 0 when none do
  // What "per step" divides by: the steps, or 1 when there are none.
  double divisor() const { return steps > 0 ? steps : 1; }
};

struct MetricInfo {
  std::string_view name;  // "idle_pct"
  std::string_view help;  // one line, with unit and denominator
};
// Every metric, in the order of the help text.
absl::Span<const MetricInfo> metrics();

// A metric as written: "idle_pct", "idle_time[synchronisation]", "kernel_time[reduce_kernel]".
struct Metric {
  std::string name;
  std::string selector;  // text between the brackets, empty if none

  std::string text() const;
};

// InvalidArgument: no such metric (the message names the valid ones), or a selector where the
// metric takes none.
absl::StatusOr<Metric> parse_metric(std::string_view text);

// The figure. FailedPrecondition where the report does not have it: no steps for a step metric, no
// device, a zero denominator, no kernel of that name.
absl::StatusOr<double> metric_value(const Report& report, const Metric& metric);

}  // namespace gapscope::report
