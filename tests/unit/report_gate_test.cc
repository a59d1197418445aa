#include "report/gate.h"

#include <limits>
#include <random>

#include "absl/strings/match.h"
#include "catch.h"
#include "report_fill.h"

namespace gapscope {
namespace {

using namespace report;

Report sample() {
  Report r;
  Device d;
  d.time = {1'000'000'000, 600'000'000, 20'000'000, 30'000'000, 350'000'000, 0};
  d.causes = {{"input pipeline", 300'000'000, 1, {}},
              {"synchronisation", 40'000'000, 1, {}},
              {"unattributed", 10'000'000, 1, {}}};
  Kernel k;
  k.name = "reduce_kernel";
  k.full_name = "void reduce_kernel<512, [lambda(int)]>(float*)";
  k.time.count = 300;
  k.time.total_ns = 90'000'000;
  Kernel other = k;
  other.name = other.full_name = "gemm";
  other.time.total_ns = 410'000'000;
  d.kernels = {other, k};
  r.whole.devices = {d};
  r.whole.devices[0].time.window_ns = 2'500'000'000;
  r.steady.emplace();
  r.steady->devices = {d};
  r.steady->overlap = {1'000'000'000, 100'000'000, 500'000'000, 300'000'000, 100'000'000, ""};
  r.steps.time.count = 10;
  r.steps.time.total_ns = 1'000'000'000;
  r.steps.time.p50_ns = 99'000'000;
  r.steps.time.p99_ns = 140'000'000;
  r.records.dropped_ring = 3;
  r.records.unmatched = 4;
  return r;
}

double value(const char* text, const Report& report = sample()) {
  const auto metric = parse_metric(text);
  REQUIRE(metric.ok());
  const auto figure = metric_value(report, *metric);
  INFO(text << ": " << figure.status().message());
  REQUIRE(figure.ok());
  return *figure;
}

TEST_CASE("every metric has its unit and denominator") {
  CHECK(value("idle_pct") == Approx(35.0));
  CHECK(value("idle_pct[input pipeline]") == Approx(30.0));
  CHECK(value("idle_pct[garbage collection]") == 0.0);
  CHECK(value("compute_pct") == Approx(60.0));
  CHECK(value("comm_pct") == Approx(2.0));
  CHECK(value("copy_pct") == Approx(3.0));
  CHECK(value("unknown_pct") == 0.0);
  CHECK(value("unattributed_pct") == Approx(1.0));
  CHECK(value("overlap_pct") == Approx(25.0));
  CHECK(value("idle_time") == Approx(35.0));
  CHECK(value("idle_time[synchronisation]") == Approx(4.0));
  CHECK(value("compute_time") == Approx(60.0));
  CHECK(value("comm_time") == Approx(2.0));
  CHECK(value("copy_time") == Approx(3.0));
  CHECK(value("kernel_time") == Approx(50.0));
  CHECK(value("kernel_time[reduce_kernel]") == Approx(9.0));
  CHECK(value("kernel_time[void reduce_kernel<512, [lambda(int)]>(float*)]") == Approx(9.0));
  CHECK(value("kernel_calls") == Approx(60.0));
  CHECK(value("step_time") == Approx(100.0));
  CHECK(value("step_p50") == Approx(99.0));
  CHECK(value("step_p99") == Approx(140.0));
  CHECK(value("run_time") == Approx(2.5));
  CHECK(value("lost") == 7.0);
}

TEST_CASE("every metric of the list can be asked for, and the list is whole") {
  for (const MetricInfo& info : metrics()) {
    INFO(info.name);
    const auto metric = parse_metric(info.name);
    REQUIRE(metric.ok());
    CHECK(metric_value(sample(), *metric).ok());
    CHECK_FALSE(info.help.empty());
  }
  const auto unknown = parse_metric("idle");
  REQUIRE_FALSE(unknown.ok());
  for (const MetricInfo& info : metrics())
    CHECK(absl::StrContains(unknown.status().message(), info.name));
}

TEST_CASE("a figure that the report does not have is an error, never a pass") {
  const auto status = [](const char* text, const Report& report) {
    return metric_value(report, *parse_metric(text)).status();
  };
  Report bare;
  for (const char* text : {"idle_pct", "idle_time", "kernel_time", "step_time", "step_p99",
                           "overlap_pct", "run_time", "unattributed_pct"}) {
    INFO(text);
    CHECK(absl::IsFailedPrecondition(status(text, bare)));
  }
  Report no_causes = sample();
  no_causes.steady->devices[0].causes.clear();
  CHECK_FALSE(status("idle_pct[synchronisation]", no_causes).ok());
  CHECK_FALSE(status("kernel_time[nothing_like_it]", sample()).ok());
}

TEST_CASE("gates against a number") {
  const auto failed = [](const char* text) {
    const auto gate = parse_gate(text);
    INFO(text << ": " << gate.status().message());
    REQUIRE(gate.ok());
    CHECK_FALSE(gate->relative());
    const auto result = check_gate(*gate, nullptr, sample());
    REQUIRE(result.ok());
    return result->failed;
  };
  CHECK(failed("idle_pct > 10"));
  CHECK(failed("idle_pct>10%"));
  CHECK_FALSE(failed("  idle_pct > 35.5 "));
  CHECK_FALSE(failed("lost > 7"));
  CHECK(failed("lost >= 7"));
  CHECK(failed("compute_pct < 60.5"));
  CHECK(failed("compute_pct <= 60.5"));
  CHECK_FALSE(failed("compute_pct < 50"));
  CHECK(failed("idle_pct[input pipeline] > 29"));
  CHECK_FALSE(failed("idle_time[a-b > c] > 0"));
  CHECK(failed("kernel_time[void reduce_kernel<512, [lambda(int)]>(float*)] > 8"));
}

TEST_CASE("gates against the old report") {
  Report slower = sample();
  slower.steps.time.total_ns = 1'040'000'000;
  const auto check = [&](const char* text, const Report& before, const Report& after) {
    const auto gate = parse_gate(text);
    INFO(text << ": " << gate.status().message());
    REQUIRE(gate.ok());
    CHECK(gate->relative());
    const auto result = check_gate(*gate, &before, after);
    REQUIRE(result.ok());
    return result->failed;
  };
  CHECK_FALSE(check("step_time +5%", sample(), slower));
  CHECK(check("step_time +3%", sample(), slower));
  CHECK(check("step_time +3.9", sample(), slower));
  CHECK_FALSE(check("step_time +4.1", sample(), slower));
  CHECK(check("step_time -3%", slower, sample()));
  CHECK_FALSE(check("step_time -5 %", slower, sample()));
  CHECK(check("step_time -3", slower, sample()));
  CHECK_FALSE(check("kernel_time +0%", sample(), sample()));
}

TEST_CASE("results say what was held against what") {
  Report slower = sample();
  slower.steps.time.total_ns = 1'100'000'000;
  const Report before = sample();
  const auto result = check_gate(*parse_gate("step_time +5%"), &before, slower);
  REQUIRE(result.ok());
  CHECK(result->before == Approx(100.0));
  CHECK(result->after == Approx(110.0));
  CHECK(result->limit == Approx(105.0));
  CHECK(result->message == "step_time +5%: 110, was 100, limit 105");
}

TEST_CASE("gates that cannot be decided are errors") {
  CHECK_FALSE(check_gate(*parse_gate("step_time +5%"), nullptr, sample()).ok());
  const Report bare;
  const auto result = check_gate(*parse_gate("step_time +5%"), &bare, sample());
  CHECK(absl::StrContains(result.status().message(), "old report: step_time"));
  CHECK_FALSE(check_gate(*parse_gate("idle_pct > 1"), nullptr, bare).ok());
}

TEST_CASE("what is no gate is refused with the reason") {
  for (const char* text :
       {"", "idle_pct", "idle_pct >", "idle_pct > ten", "> 10", "idle > 10", "idle_pct > 1 2",
        "idle_pct > nan", "idle_pct > inf", "idle_pct + -5", "step_time > 5%", "lost[x] > 1",
        "idle_pct[ > 10", "idle_pct[] > 10", "idle_pct => 10", "idle_pct > 1e999", "+5%"}) {
    INFO(text);
    const auto gate = parse_gate(text);
    CHECK_FALSE(gate.ok());
    CHECK_FALSE(gate.status().message().empty());
  }
}

TEST_CASE("random text never crashes the parser") {
  std::mt19937 random(17);
  const std::string letters = "idle_pctkern[]<>+-=%. 0159e\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = random() % 2 == 0 ? "idle_pct" : "";
    for (std::size_t n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    const auto gate = parse_gate(text);
    if (gate.ok()) {
      const Report before = sample();
      (void)check_gate(*gate, &before, sample());
      CHECK(gate->value == gate->value);
    }
  }
}

}  // namespace
}  // namespace gapscope
