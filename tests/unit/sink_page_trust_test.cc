// The TRUST line and the warnings above the page: what makes figures doubtful is told from a
// thousandth on, and first of all from a hundredth on.
#include "absl/strings/match.h"
#include "catch.h"
#include "report/trust.h"
#include "sink_page_text.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

using test::PageText;

std::int64_t window_ns(const report::Report& report) {
  return report.whole.devices.at(0).time.window_ns;
}

std::string trust(const report::Report& report) {
  return PageText(report, {.width = 240}).line("TRUST");
}

TEST_CASE("late records are told by the time that reads as idle for them") {
  report::Report report = test::sample_report_with_causes();
  REQUIRE(report.whole.devices.size() == 1);
  report.records.late = 57;
  report.records.late_ns = window_ns(report) / 2000;
  CHECK_FALSE(absl::StrContains(trust(report), "late"));
  CHECK_FALSE(report::bounds_only(report));
  report.records.late_ns = window_ns(report) / 250;
  CHECK(absl::StrContains(trust(report),
                          "0 records lost; 57 late, up to 0.4 % of the time reads as idle for it"));
  CHECK_FALSE(PageText(report).has("WARNING"));
  CHECK(report::bounds_only(report));
  report.records.late_ns = window_ns(report) / 20;
  CHECK(absl::StartsWith(PageText(report, {.width = 240}).lines[0],
                         "WARNING     57 records came after their time had been summed up: up to "
                         "5.0 % of the time was busy and reads as idle"));
}

TEST_CASE("many late records are told though they took no time") {
  report::Report report = test::sample_report_with_causes();
  report.records.late = report.records.seen / 100;
  CHECK(absl::StrContains(trust(report), " late;"));
}

TEST_CASE("late calls and missing nodes are told") {
  report::Report report = test::sample_report_with_causes();
  report.records.late_calls = report.records.calls / 10'000;
  CHECK_FALSE(absl::StrContains(trust(report), "late"));
  report.records.late_calls = report.records.calls / 100;
  CHECK(absl::StrContains(trust(report), "calls late"));
  report.records.missing_nodes = 3;
  CHECK(absl::StrContains(trust(report), "; 3 graph nodes missing"));
  CHECK(PageText(report, {.width = 240}).has("3 graph nodes missing"));
}

TEST_CASE("a step of the clock is told by its share of the time") {
  report::Report report = test::sample_report_with_causes();
  report.clock_step_ns = window_ns(report) / 2000;
  CHECK_FALSE(absl::StrContains(trust(report), "clock"));
  report.clock_step_ns = window_ns(report) / 200;
  CHECK(absl::StrContains(trust(report), "; clock stepped by"));
  CHECK_FALSE(PageText(report).has("WARNING"));
  report.clock_step_ns = 3'600'000'000'000;
  CHECK(absl::StartsWith(PageText(report).lines[0], "WARNING     the system clock was stepped"));
}

TEST_CASE("doubt about a run without any window is not lost in a division") {
  report::Report report;
  report.records.late_ns = 1;
  CHECK(report::late_share(report) == 1);
  report.records.late_ns = -1;
  report.clock_step_ns = -1;
  CHECK(report::late_share(report) == 0);
  CHECK(report::clock_step_share(report) == 0);
}

}  // namespace
}  // namespace gapscope
