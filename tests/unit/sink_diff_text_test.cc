#include "sink/diff_text.h"

#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "catch.h"
#include "report_fill.h"
#include "sink/safe_text.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

// The sample run after its first advice was followed: the input pipeline's time is almost gone.
report::Report fixed_report() {
  report::Report r = test::sample_report_with_causes();
  r.process.command = "python train.py --epochs 3 --batch-size 256 --workers 4";
  r.process.pid = 4802;
  report::Device& d = r.steady->devices[0];
  d.causes[0].idle_ns = 347'000'000;
  d.time.idle_ns -= 17'003'000'000;
  d.time.window_ns -= 17'003'000'000;
  d.kernels[2].time.total_ns = d.kernels[2].time.total_ns * 11 / 10;
  d.kernels.erase(d.kernels.begin() + 8);
  r.steps.time.total_ns -= 17'003'000'000;
  r.advice.erase(r.advice.begin());
  return r;
}

std::vector<std::string> lines_of(const std::string& text) { return absl::StrSplit(text, '\n'); }

std::string text_of(const report::Report& before, const report::Report& after,
                    sink::TextOptions options = {}) {
  return sink::diff_to_text(report::diff(before, after), before, after, options);
}

TEST_CASE("diff to look at", "[.show]") {
  const std::string text = text_of(test::sample_report_with_causes(), fixed_report());
  CHECK_FALSE(text.empty());
  std::fputs(text.c_str(), stdout);
}

TEST_CASE("the step comes first, then the largest part of its change") {
  const auto lines = lines_of(text_of(test::sample_report_with_causes(), fixed_report()));
  std::size_t at = 0;
  while (!absl::StartsWith(lines[at], "STEP")) ++at;
  CHECK(absl::StartsWith(lines[at],
                         "STEP        39.70 \u2192 27.45 ms, -12.25 (-30.9 %), beyond the noise"));
  CHECK(absl::StartsWith(lines[at + 2], "ms/step"));
  CHECK(absl::StartsWith(lines[at + 3], "input pipeline       12.50      0.25    -12.25"));
}

TEST_CASE("the changes of the parts add up to the total, as printed") {
  report::Report other = fixed_report();
  report::Device& d = other.steady->devices[0];
  for (auto& cause : d.causes) cause.idle_ns = cause.idle_ns * 10 / 7 + 33'333'333;
  d.time.compute_ns += 1'234'567'891;
  const auto lines = lines_of(text_of(test::sample_report_with_causes(), other));
  double sum = 0;
  double total = -1e9;
  std::size_t i = 0;
  while (i < lines.size() && !absl::StartsWith(lines[i], "ms/step")) ++i;
  for (++i; i < lines.size() && !lines[i].empty(); ++i) {
    const std::string cell = absl::StrReplaceAll(lines[i].substr(36, 10), {{",", ""}});
    if (absl::StartsWith(lines[i], "total")) {
      total = std::stod(cell);
    } else {
      sum += std::stod(cell);
    }
  }
  CHECK(std::fabs(sum - total) < 1e-6);
}

TEST_CASE("promises, kernels and unchanged parts") {
  const std::string text =
      text_of(test::sample_report_with_causes(), fixed_report(), {.width = 140});
  CHECK(absl::StrContains(text, "at best 12.50 ms/step; input pipeline won 12.25"));
  CHECK(absl::StrContains(text, "still advised"));
  CHECK(absl::StrContains(text, "2 changed, 10 did not"));
  CHECK(absl::StrContains(text, "gone"));
  CHECK(absl::StrContains(text, "slower"));
  CHECK(absl::StrContains(text, "within noise"));
}

TEST_CASE("lines keep to the width, and hostile reports print") {
  for (const int width : {60, 80, 120}) {
    for (const bool utf8 : {true, false}) {
      for (const auto& [a, b] :
           {std::pair{test::sample_report_with_causes(), fixed_report()},
            std::pair{report::Report{}, fixed_report()},
            std::pair{test::filled_report(), report::Report{}},
            std::pair{test::sample_report_three_gpus(), test::sample_report()}}) {
        for (const std::string& line : lines_of(text_of(a, b, {.width = width, .utf8 = utf8}))) {
          INFO(line);
          CHECK(sink::columns(line) <= static_cast<std::size_t>(width));
        }
      }
    }
  }
  report::Report huge = test::sample_report_with_causes();
  huge.steady->devices[0].time.compute_ns = std::numeric_limits<std::int64_t>::max();
  huge.process.command = "\x1b[2J\n";
  const std::string text = text_of(huge, test::sample_report());
  CHECK_FALSE(absl::StrContains(text, "\x1b"));
  CHECK_FALSE(absl::StrContains(text, "nan"));
}

TEST_CASE("gates are one line each") {
  std::vector<report::GateResult> gates(2);
  gates[0].message = "idle_pct > 10: 35, limit 10";
  gates[0].failed = true;
  gates[1].message = "lost > 0: 0, limit 0";
  CHECK(sink::gates_to_text(gates, {}) ==
        "FAIL        idle_pct > 10: 35, limit 10\nPASS        lost > 0: 0, limit 0\n");
  CHECK(sink::gates_to_text({}, {}).empty());
}

}  // namespace
}  // namespace gapscope
