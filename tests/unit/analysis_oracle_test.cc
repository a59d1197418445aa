// Property tests: random runs, delivered in random order, against the brute-force oracle.
#include <algorithm>
#include <random>

#include "analysis_oracle.h"
#include "analysis_scenario.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

const char* name_of(std::uint32_t id) {
  static const char* const names[] = {"", "gemm_kernel", "relu_kernel", "ncclDevKernel_AllReduce"};
  return names[id];
}

void same_device(const report::Device& d, const OracleDevice& o) {
  CHECK(d.time.window_ns == o.window);
  CHECK(d.time.compute_ns == o.compute);
  CHECK(d.time.comm_exposed_ns == o.comm_exposed);
  CHECK(d.time.copy_only_ns == o.copy_only);
  CHECK(d.time.idle_ns == o.idle);
  CHECK(d.time.unknown_ns == o.unknown);
  CHECK(d.spacing_ns == o.spacing);
  CHECK(d.launch_bound_ns == o.launch_bound);
  CHECK(d.copy_ns == o.copy);
  CHECK(d.copy_overlap_ns == o.copy_overlap);
  CHECK(d.comm_ns == o.comm);
  CHECK(d.comm_overlap_ns == o.comm_overlap);
  CHECK(d.kernel_sum_ns == o.kernel_sum);
  CHECK(d.operations == o.operations);
  CHECK(d.first_op_ns == o.first);
  CHECK(d.last_op_ns == o.last);
  CHECK(d.gaps.count == static_cast<std::int64_t>(o.gaps.size()));
  for (std::size_t i = 0; i < d.gaps.longest.size() && i < o.gaps.size(); ++i) {
    CHECK(d.gaps.longest[i].length_ns == o.gaps[i]);
  }
  CHECK(d.kernels.size() == o.kernels.size());
  for (const auto& [id, sums] : o.kernels) {
    const auto found = std::find_if(d.kernels.begin(), d.kernels.end(), [&, id = id](auto& k) {
      return k.full_name.rfind(name_of(id), 0) == 0;
    });
    REQUIRE(found != d.kernels.end());
    CHECK(found->time.count == sums.first);
    CHECK(found->time.total_ns == sums.second);
    CHECK(found->alone_ns == o.alone.at(id));
  }
  std::int64_t copies = 0, hidden = 0, bytes = 0;
  for (const auto& c : d.copies) copies += c.time.count, hidden += c.hidden_ns, bytes += c.bytes;
  CHECK(copies == o.copies);
  CHECK(hidden == o.hidden);
  CHECK(bytes == o.copied_bytes);
}

void same_scope(const report::Scope& scope, const OracleReport& o) {
  CHECK(scope.devices.size() == o.devices.size());
  for (const auto& device : scope.devices) {
    INFO("device " << device.device);
    REQUIRE(o.devices.count(device.device) == 1);
    same_device(device, o.devices.at(device.device));
  }
  CHECK(scope.overlap.both_ns == o.both);
  CHECK(scope.overlap.gpu_only_ns == o.gpu_only);
  CHECK(scope.overlap.cpu_only_ns == o.cpu_only);
  CHECK(scope.overlap.neither_ns == o.neither);
  CHECK(scope.host_calls.size() == o.calls.size());
  for (const auto& call : scope.host_calls) {
    INFO(call.name);
    REQUIRE(o.calls.count(call.name) == 1);
    const OracleCalls& c = o.calls.at(call.name);
    CHECK(call.time.count == c.count);
    CHECK(call.time.total_ns == c.total);
    CHECK(call.blocking_ns == c.blocking);
    CHECK(call.failed == c.failed);
    CHECK(call.captured == c.captured);
  }
  for (const auto& wait : scope.waits) {
    INFO(wait.name);
    const OracleCalls& c = o.calls.at(wait.name);
    CHECK(wait.calls == c.waits);
    CHECK(wait.gpu_busy_ns == c.wait_busy);
    CHECK(wait.gpu_idle_ns == c.wait_idle);
  }
}

void same_records(const report::Records& records, const OracleReport& o) {
  CHECK(records.seen == o.seen);
  CHECK(records.unmatched == o.unmatched);
  CHECK(records.orphaned == o.orphaned);
  CHECK(records.outside == o.outside);
  CHECK(records.late == 0);
  CHECK(records.invalid == 0);
  CHECK(records.overflow == 0);
}

report::Report analyse(const TrueRun& run, std::mt19937_64& random, const DeliveryOptions& delivery,
                       const AnalysisOptions& options = {}) {
  Analysis analysis(options);
  deliver(run, random, delivery, analysis, [](const Analysis& a) {
    const report::Report snapshot = a.report();
    REQUIRE_REPORT_HOLDS(snapshot);
  });
  const report::Report report = analysis.report();
  REQUIRE_REPORT_HOLDS(report);
  CHECK(analysis.outstanding() == 0);
  return report;
}

// Whatever the order and the places of ticks, the report is the oracle's.
void check_run(std::uint64_t seed, const ScenarioOptions& scenario,
               const AnalysisOptions& options = {}) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const TrueRun run = random_run(random, scenario);
  Selection selection;
  if (options.capture.mode == CaptureSpec::Mode::range) selection.ranges = capture_ranges(run);
  const OracleReport expected = oracle(run, selection);
  for (int variant = 0; variant < 4; ++variant) {
    INFO("variant " << variant);
    DeliveryOptions delivery;
    delivery.ticks = variant != 0;
    // Ids that wrap within the run tell launches apart only when records come in their time.
    delivery.in_order = variant == 1 || scenario.id_bits < 32;
    const report::Report report = analyse(run, random, delivery, options);
    same_scope(report.whole, expected);
    same_records(report.records, expected);
  }
}

}  // namespace

TEST_CASE("random runs agree with the oracle in any order of delivery") {
  const auto seed = GENERATE(range(1, 150));
  ScenarioOptions scenario;
  scenario.calls = 20 + seed;
  check_run(static_cast<std::uint64_t>(seed), scenario);
}

TEST_CASE("random runs with lost calls and lost records agree with the oracle") {
  const auto seed = GENERATE(range(1000, 1200));
  ScenarioOptions scenario;
  scenario.calls = 20 + seed % 130;
  scenario.losses = true;
  check_run(static_cast<std::uint64_t>(seed), scenario);
}

TEST_CASE("random runs with capture ranges agree with the oracle") {
  const auto seed = GENERATE(range(2000, 2200));
  ScenarioOptions scenario;
  scenario.calls = 30 + seed % 120;
  scenario.marks = true;
  scenario.losses = seed % 3 == 0;
  AnalysisOptions options;
  options.capture.mode = CaptureSpec::Mode::range;
  check_run(static_cast<std::uint64_t>(seed), scenario, options);
}

TEST_CASE("correlation ids that wrap match the right launches") {
  const auto seed = GENERATE(range(3000, 3060));
  ScenarioOptions scenario;
  scenario.calls = 150;
  scenario.id_bits = 6;
  check_run(static_cast<std::uint64_t>(seed), scenario);
}

TEST_CASE("the steady state of random runs agrees with the oracle") {
  const auto seed = GENERATE(range(4000, 4100));
  INFO("seed " << seed);
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  ScenarioOptions scenario;
  scenario.calls = 150;
  scenario.steps = 12;
  scenario.losses = seed % 4 == 0;
  const TrueRun run = random_run(random, scenario);
  for (int variant = 0; variant < 3; ++variant) {
    DeliveryOptions delivery;
    delivery.ticks = variant != 0;
    delivery.in_order = variant == 1;
    const report::Report report = analyse(run, random, delivery);
    {
      INFO("whole");
      const OracleReport whole = oracle(run, {});
      same_scope(report.whole, whole);
      same_records(report.records, whole);
    }
    INFO("steady");
    REQUIRE(report.steps.warmup_steps == 3);  // even steps: steady as soon as may be
    REQUIRE(report.steps.time.count == 8);
    Selection steady;
    steady.since_ns = static_cast<std::int64_t>(run.marks[3].time_ns);
    const OracleReport expected = oracle(run, steady);
    if (expected.devices.empty()) continue;
    REQUIRE(report.steady.has_value());
    same_scope(*report.steady, expected);
  }
}

}  // namespace gapscope::test
