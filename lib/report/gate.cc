#include "report/gate.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"

namespace gapscope::report {
namespace {

absl::Status bad(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "': ", why,
      "; a gate is METRIC > N, METRIC < N, METRIC +N%, METRIC -N%, METRIC +N or METRIC -N"));
}

// Where the operator starts: behind the name and its brackets, which may hold any character.
std::size_t operator_at(std::string_view text) {
  std::size_t from = 0;
  const std::size_t open = text.find('[');
  const std::size_t first = text.find_first_of("<>+-");
  if (open < first) {
    // The last bracket before the operator: names of kernels hold brackets of their own.
    const std::size_t close = text.rfind(']');
    if (close == std::string_view::npos) return close;
    from = close;
  }
  return text.find_first_of("<>+-", from);
}

double limit_of(const Gate& gate, double before) {
  switch (gate.test) {
    case Gate::Test::rises:
      return before + gate.value;
    case Gate::Test::falls:
      return before - gate.value;
    case Gate::Test::rises_percent:
      return before * (1 + gate.value / 100);
    case Gate::Test::falls_percent:
      return before * (1 - gate.value / 100);
    default:
      return gate.value;
  }
}

bool fails(const Gate& gate, double value, double limit) {
  switch (gate.test) {
    case Gate::Test::above:
    case Gate::Test::rises:
    case Gate::Test::rises_percent:
      return value > limit;
    case Gate::Test::at_least:
      return value >= limit;
    case Gate::Test::at_most:
      return value <= limit;
    case Gate::Test::below:
    case Gate::Test::falls:
    case Gate::Test::falls_percent:
      return value < limit;
  }
  return true;
}

}  // namespace

absl::StatusOr<Gate> parse_gate(std::string_view text) {
  const std::string_view whole = absl::StripAsciiWhitespace(text);
  const std::size_t at = operator_at(whole);
  if (at == std::string_view::npos) return bad(whole, "no > < + or -");
  Gate gate;
  gate.text = std::string(whole);
  auto metric = parse_metric(whole.substr(0, at));
  if (!metric.ok()) return metric.status();
  gate.metric = *std::move(metric);

  std::string_view rest = whole.substr(at + 1);
  const char op = whole[at];
  const bool comparison = op == '<' || op == '>';
  const bool or_equal = comparison && absl::StartsWith(rest, "=");
  if (or_equal) rest.remove_prefix(1);
  rest = absl::StripAsciiWhitespace(rest);
  const bool percent = absl::EndsWith(rest, "%");
  if (percent) rest = absl::StripTrailingAsciiWhitespace(rest.substr(0, rest.size() - 1));
  if (!absl::SimpleAtod(rest, &gate.value) || !std::isfinite(gate.value))
    return bad(whole, "no number behind the operator");
  if (!comparison && gate.value < 0) return bad(whole, "two signs");
  using Test = Gate::Test;
  if (comparison) {
    // "idle_pct > 10%" means what it says only for a percentage.
    if (percent && !absl::EndsWith(gate.metric.name, "_pct"))
      return bad(whole, "% behind > or < fits percentages only");
    gate.test = op == '>' ? (or_equal ? Test::at_least : Test::above)
                          : (or_equal ? Test::at_most : Test::below);
  } else {
    gate.test = op == '+' ? (percent ? Test::rises_percent : Test::rises)
                          : (percent ? Test::falls_percent : Test::falls);
  }
  return gate;
}

absl::StatusOr<GateResult> check_gate(const Gate& gate, const Report* before, const Report& after) {
  GateResult result;
  if (gate.relative()) {
    if (before == nullptr)
      return absl::InvalidArgumentError(
          absl::StrCat("'", gate.text, "' compares two reports, but there is one"));
    const auto value = metric_value(*before, gate.metric);
    if (!value.ok())
      return absl::Status(value.status().code(),
                          absl::StrCat("old report: ", value.status().message()));
    result.before = *value;
  }
  const auto value = metric_value(after, gate.metric);
  if (!value.ok()) {
    return absl::Status(value.status().code(),
                        absl::StrCat(before ? "new report: " : "", value.status().message()));
  }
  result.after = *value;
  result.limit = limit_of(gate, result.before);
  result.failed = fails(gate, result.after, result.limit);
  result.message = fmt::format("{}: {:.4g}", gate.text, result.after);
  if (gate.relative()) result.message += fmt::format(", was {:.4g}", result.before);
  result.message += fmt::format(", limit {:.4g}", result.limit);
  return result;
}

}  // namespace gapscope::report
