#include "report/diff.h"

#include <cmath>
#include <random>

#include "catch.h"

namespace gapscope {
namespace {

using namespace report;

constexpr double kNear = 1e-6;

Distribution times(std::int64_t count, std::int64_t mean, double stddev) {
  Distribution d;
  d.count = count;
  d.total_ns = count * mean;
  d.min_ns = d.max_ns = d.p50_ns = d.p90_ns = d.p99_ns = mean;
  d.stddev_ns = stddev;
  return d;
}

Kernel kernel(const char* name, std::int64_t calls, std::int64_t mean, double stddev = 0) {
  Kernel k;
  k.name = k.full_name = name;
  k.time = times(calls, mean, stddev);
  return k;
}

// steps steps of compute + copy + the causes, all in ns per step.
Report run(std::int64_t steps, std::int64_t compute, std::int64_t copy,
           const std::vector<std::pair<std::string, std::int64_t>>& causes,
           double step_stddev = 1000) {
  Device device;
  device.name = "NVIDIA H200";
  device.time.compute_ns = steps * compute;
  device.time.copy_only_ns = steps * copy;
  for (const auto& [cause, ns] : causes) {
    device.causes.push_back({cause, steps * ns, 1, {}});
    device.time.idle_ns += steps * ns;
  }
  device.time.window_ns = device.time.compute_ns + device.time.copy_only_ns + device.time.idle_ns;
  Report report;
  report.whole.devices = {device};
  report.steady = report.whole;
  report.steps.source = "marked";
  report.steps.time = times(steps, device.time.window_ns / steps, step_stddev);
  return report;
}

double sum_of_changes(const Diff& d) {
  double sum = 0;
  for (const PartChange& part : d.parts) sum += part.time.change_ns();
  return sum;
}

TEST_CASE("the change of a step is the sum of the changes of its parts, largest first") {
  const Report before = run(1000, 24'600'000, 1'200'000,
                            {{"input pipeline", 12'500'000}, {"synchronisation", 600'000}});
  const Report after =
      run(500, 24'700'000, 1'200'000, {{"synchronisation", 900'000}, {"launch-bound", 200'000}});
  const Diff d = diff(before, after);
  REQUIRE(d.per_step);
  CHECK(std::fabs(d.step.change_ns() - (27'000'000 - 38'900'000)) < kNear);
  CHECK(std::fabs(sum_of_changes(d) - d.total.change_ns()) < kNear);
  CHECK(std::fabs(d.total.change_ns() - d.step.change_ns()) < kNear);
  REQUIRE(d.parts.size() == 5);
  CHECK(d.parts[0].label == "input pipeline");
  CHECK(d.parts[0].idle);
  CHECK(d.parts[0].time.before_ns == 12'500'000);
  CHECK(d.parts[0].time.after_ns == 0);
  CHECK(d.parts[1].label == "synchronisation");
  CHECK(d.parts[2].label == "launch-bound");
  CHECK(d.parts[3].label == "compute");
  CHECK(d.parts[4].label == "copy only");
  CHECK(d.notes.empty());
}

TEST_CASE("parts add up for random runs of any number of devices and causes") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    Report sides[2];
    for (Report& report : sides) {
      std::vector<std::pair<std::string, std::int64_t>> causes;
      for (const char* name : {"a", "b", "c", "d"})
        if (random() % 2 == 0) causes.emplace_back(name, random() % 10'000'000);
      report = run(1 + static_cast<std::int64_t>(random() % 5000),
                   static_cast<std::int64_t>(random() % 30'000'000),
                   static_cast<std::int64_t>(random() % 3'000'000), causes);
      if (random() % 2 == 0) report.steady->devices.push_back(report.steady->devices[0]);
    }
    const Diff d = diff(sides[0], sides[1]);
    double before = 0;
    double after = 0;
    for (const Device& device : sides[0].steady->devices)
      before += static_cast<double>(device.time.window_ns) / d.steps_before;
    for (const Device& device : sides[1].steady->devices)
      after += static_cast<double>(device.time.window_ns) / d.steps_after;
    REQUIRE(std::fabs(d.total.before_ns - before) <= 1e-9 * before + kNear);
    REQUIRE(std::fabs(d.total.after_ns - after) <= 1e-9 * after + kNear);
    REQUIRE(std::fabs(sum_of_changes(d) - (after - before)) <= 1e-9 * (before + after) + kNear);
    for (std::size_t i = 1; i < d.parts.size(); ++i) {
      REQUIRE(std::fabs(d.parts[i - 1].time.change_ns()) >= std::fabs(d.parts[i].time.change_ns()));
    }
  }
}

TEST_CASE("noise is told from change by the spread of the steps") {
  // 400 steps with a standard deviation of 1 ms: 0.05 ms each, 2 * sqrt(2) * 0.05 together.
  const Report before = run(400, 10'000'000, 0, {{"a", 1'000'000}}, 1'000'000);
  const Report close = run(400, 10'000'000, 0, {{"a", 1'100'000}}, 1'000'000);
  const Report far = run(400, 10'000'000, 0, {{"a", 1'200'000}}, 1'000'000);
  const Diff within = diff(before, close);
  CHECK(std::fabs(within.noise_ns - 2 * std::sqrt(2.0) * 50'000) < 1);
  CHECK_FALSE(within.beyond_noise(within.step.change_ns()));
  const Diff beyond = diff(before, far);
  CHECK(beyond.beyond_noise(beyond.step.change_ns()));
  CHECK_FALSE(diff(before, before).beyond_noise(0));
}

TEST_CASE("what an advice promised and what it won") {
  Report before = run(100, 24'600'000, 1'200'000, {{"input pipeline", 12'500'000}});
  before.advice = {{"DataLoader num_workers=4", "", "input pipeline", 38.3, 25.8},
                   {"pin_memory=True", "", "copy only", 38.3, 37.1},
                   {"look at the kernels", "", "", 38.3, 30.0}};
  Report after = run(100, 24'600'000, 1'300'000, {{"input pipeline", 500'000}});
  after.advice = {before.advice[1]};
  const Diff d = diff(before, after);
  REQUIRE(d.promises.size() == 3);
  CHECK(std::fabs(d.promises[0].promised_ns - 12'500'000) < 1);
  CHECK(d.promises[0].won_ns == 12'000'000);
  CHECK(d.promises[0].known);
  CHECK_FALSE(d.promises[0].still_given);
  CHECK(d.promises[1].won_ns == -100'000);
  CHECK(d.promises[1].still_given);
  CHECK_FALSE(d.promises[2].known);
}

TEST_CASE("kernels: new, gone, slower, faster, more and fewer calls") {
  Report before = run(100, 10'000'000, 0, {});
  Report after = run(200, 10'000'000, 0, {});
  before.steady->devices[0].kernels = {
      kernel("same", 100, 50'000, 500),     kernel("gone", 100, 900'000, 500),
      kernel("slower", 100, 100'000, 1000), kernel("faster", 100, 100'000, 1000),
      kernel("more", 100, 20'000, 100),     kernel("fewer", 1000, 20'000, 100),
      kernel("noisy", 4, 100'000, 90'000)};
  after.steady->devices[0].kernels = {
      kernel("same", 200, 50'200, 500),     kernel("new", 200, 400'000, 500),
      kernel("slower", 200, 130'000, 1000), kernel("faster", 200, 60'000, 1000),
      kernel("more", 800, 20'000, 100),     kernel("fewer", 200, 20'000, 100),
      kernel("noisy", 8, 130'000, 90'000)};
  const Diff d = diff(before, after);
  CHECK(d.kernels_same == 2);  // same, and noisy: within its own spread
  REQUIRE(d.kernels.size() == 6);
  const auto fate = [&](const char* name) {
    for (const KernelChange& change : d.kernels)
      if (change.full_name == name) return change.fate;
    FAIL(name);
    return KernelFate::gone;
  };
  CHECK(fate("gone") == KernelFate::gone);
  CHECK(fate("new") == KernelFate::added);
  CHECK(fate("slower") == KernelFate::slower);
  CHECK(fate("faster") == KernelFate::faster);
  CHECK(fate("more") == KernelFate::more_calls);
  CHECK(fate("fewer") == KernelFate::fewer_calls);
  CHECK(d.kernels[0].full_name == "gone");
  CHECK(d.kernels[0].time.change_ns() == -900'000);
  CHECK(d.kernels[1].full_name == "new");
  CHECK(d.kernels[1].calls_after == 1.0);
}

TEST_CASE("reports without steps are compared as whole runs and say so") {
  Report before = run(100, 1'000, 0, {{"a", 500}});
  Report after = run(100, 1'000, 0, {{"a", 700}});
  after.steady.reset();
  after.steps = {};
  const Diff d = diff(before, after);
  CHECK_FALSE(d.per_step);
  CHECK(d.total.change_ns() == 100 * 200);
  CHECK(d.noise_ns == 0);
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].find("whole runs") != std::string::npos);
}

TEST_CASE("what makes reports hard to compare is noted") {
  Report before = run(100, 1'000, 0, {{"a", 500}});
  Report after = run(100, 1'000, 0, {});
  after.steady->devices[0].time.idle_ns = 30'000;
  after.steady->devices[0].time.window_ns += 30'000;
  after.steps.time = times(100, 1'300, 0);
  after.steady->devices[0].name = "NVIDIA A100";
  after.steps.source = "detected";
  after.truncated = true;
  const Diff d = diff(before, after);
  CHECK(d.notes.size() == 4);
  REQUIRE(d.parts.size() == 2);
  CHECK(d.parts[0].label == "idle");  // only one report has causes
  CHECK(d.parts[0].time.change_ns() == Approx(-200));
}

TEST_CASE("a diff of empty reports is empty") {
  const Diff d = diff(Report{}, Report{});
  CHECK(d.parts.empty());
  CHECK(d.kernels.empty());
  CHECK(d.total.change_ns() == 0);
}

}  // namespace
}  // namespace gapscope
