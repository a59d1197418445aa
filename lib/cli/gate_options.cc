#include "cli/gate_options.h"

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/output.h"
#include "fmt/format.h"

namespace gapscope::cli {
namespace {

std::string check_gate_text(const std::string& text, bool relative) {
  const auto gate = report::parse_gate(text);
  if (!gate.ok()) return std::string(gate.status().message());
  if (gate->relative() && !relative) {
    return absl::StrCat("'", text, "' compares two reports (gapscope diff)");
  }
  return {};
}

}  // namespace

int GateOutcome::finish() const {
  for (const std::string& failure : failures) print_error(failure);
  return failures.empty() ? kOk : kGateFailed;
}

void GateOptions::add_to(CLI::App& command, bool relative) {
  const auto check = [relative](const std::string& text) {
    return check_gate_text(text, relative);
  };
  command
      .add_option("--fail-if", texts_,
                  absl::StrCat("Exit code 3 when this holds, for example 'idle_pct > 10'",
                               relative ? " or 'kernel_time +5%'" : "",
                               "; may be repeated (gapscope help gates)"))
      ->check(CLI::Validator(check, "GATE"))
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

GateOutcome GateOptions::check(const report::Report* before, const report::Report& after) const {
  GateOutcome outcome;
  for (const std::string& text : texts_) {
    const auto gate = report::parse_gate(text);
    if (!gate.ok()) {
      outcome.failures.emplace_back(gate.status().message());
      continue;
    }
    const auto result = report::check_gate(*gate, before, after);
    if (!result.ok()) {
      outcome.failures.push_back(
          absl::StrCat("gate cannot be decided: ", text, ": ", result.status().message()));
      continue;
    }
    if (result->failed) outcome.failures.push_back(absl::StrCat("gate failed: ", result->message));
    outcome.results.push_back(*result);
  }
  return outcome;
}

std::string gates_help() {
  std::string out =
      "Gates for --fail-if (gapscope diff, gapscope show): exit code 3 when one holds.\n\n"
      "  METRIC > N, >= N, < N, <= N   the (new) report's figure against a number\n"
      "  METRIC +N%, METRIC -N%        more than N % above, below the old report's\n"
      "  METRIC +N, METRIC -N          more than N, in the metric's unit, above, below\n\n"
      "Figures are of the steady state where steps are known. A figure that a report does not\n"
      "have makes the gate fail. Metrics:\n\n";
  for (const report::MetricInfo& metric : report::metrics()) {
    absl::StrAppend(&out, fmt::format("  {:<24} {}\n", metric.name, metric.help));
  }
  return out;
}

}  // namespace gapscope::cli
