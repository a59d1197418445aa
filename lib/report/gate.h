// Conditions under which a comparison, or a single report, counts as failed: `--fail-if`.
//
//   idle_pct > 10            the new report's figure against a number; also < >= <=
//   kernel_time +5%          the new figure is more than 5 % above the old one's
//   compute_pct -5%          ... more than 5 % below
//   step_time +0.5           ... more than 0.5 (in the metric's own unit) above; likewise -0.5
//
// Metrics are those of metrics.h.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "report/metrics.h"

namespace gapscope::report {

struct Gate {
  enum class Test { above, at_least, below, at_most, rises, rises_percent, falls, falls_percent };
  std::string text;  // as written
  Metric metric;
  Test test = Test::above;
  double value = 0;

  // Whether it compares with an old report.
  bool relative() const { return test >= Test::rises; }
};

struct GateResult {
  bool failed = false;
  double before = 0;  // the old report's figure; relative gates only
  double after = 0;
  double limit = 0;     // what `after` was held against
  std::string message;  // "idle_pct > 10: 35.0, limit 10"
};

// InvalidArgument, with the reason and the valid forms.
absl::StatusOr<Gate> parse_gate(std::string_view text);

// before may be null where the gate is not relative. An error (FailedPrecondition,
// InvalidArgument) when the gate cannot be decided: a missing figure never passes silently.
absl::StatusOr<GateResult> check_gate(const Gate& gate, const Report* before, const Report& after);

}  // namespace gapscope::report
