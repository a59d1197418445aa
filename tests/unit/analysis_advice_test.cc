#include <string>

#include "analysis/findings.h"
#include "catch.h"

using namespace gapscope;

namespace {

report::Scope scope_with(const char* cause, std::int64_t idle_ns, const char* evidence) {
  report::Scope scope;
  report::Device device;
  device.time.window_ns = 1'000'000'000;
  device.time.idle_ns = idle_ns;
  device.time.compute_ns = device.time.window_ns - idle_ns;
  report::Cause entry;
  entry.cause = cause;
  entry.idle_ns = idle_ns;
  entry.evidence.push_back({evidence, idle_ns});
  device.causes.push_back(entry);
  scope.devices.push_back(device);
  return scope;
}

bool says(const report::Advice& advice, const char* word) {
  return advice.text.find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("each cause has its advice, with a bound per step") {
  const auto advice = advise(
      scope_with("input pipeline", 400'000'000, "dataloader.py:__next__ > Image.py:load"), 20, 6);
  REQUIRE(advice.size() == 1);
  CHECK(says(advice[0], "num_workers=5 (6 CPUs allowed here)"));
  CHECK(advice[0].before_ms == Approx(50));
  CHECK(advice[0].after_ms == Approx(30));
  CHECK(advice[0].cause == "input pipeline");
}

TEST_CASE("host advice promises no more than the evidence that it names") {
  auto scope = scope_with("host, other", 400'000'000, "clock_nanosleep");
  report::Cause& cause = scope.devices[0].causes[0];
  cause.evidence[0].ns = 250'000'000;
  cause.evidence.push_back({"range forward, on a CPU", 150'000'000});
  const auto advice = advise(scope, 0, 0);
  REQUIRE(advice.size() == 1);
  CHECK(says(advice[0], "clock_nanosleep"));
  CHECK(advice[0].before_ms == Approx(1000));
  CHECK(advice[0].after_ms == Approx(750));
}

TEST_CASE("a loader with workers is told apart from one without") {
  const auto slow = advise(
      scope_with("input pipeline", 400'000'000,
                 "dataloader.py:_MultiProcessingDataLoaderIter._try_get_data > queues.py:get"),
      0, 0);
  REQUIRE(slow.size() == 1);
  CHECK(says(slow[0], "workers are too slow"));
}

TEST_CASE("gains too small to try are not advised, and at most five are") {
  CHECK(advise(scope_with("launch-bound", 10'000'000, ""), 0, 0).empty());
  auto scope = scope_with("launch-bound", 300'000'000, "");
  CHECK(says(advise(scope, 0, 0).at(0), "CUDA graphs"));
}

TEST_CASE("the kernels are the advice only when the device is the limit") {
  auto scope = scope_with("launch-bound", 15'000'000, "");
  report::Kernel kernel;
  kernel.name = "gemm_kernel<float>";
  kernel.time.count = 100;
  scope.devices[0].kernels.push_back(kernel);
  const auto advice = advise(scope, 0, 0);
  REQUIRE(advice.size() == 1);
  CHECK(says(advice[0], "regex:gemm_kernel'"));
  CHECK(says(advice[0], "--launch-skip 50"));
  // A command to copy: a name out of a report must not end its quotes.
  scope.devices[0].kernels[0].name = "gemm'; touch here; echo '";
  CHECK(says(advise(scope, 0, 0).at(0), "regex:gemm'"));
  CHECK_FALSE(says(advise(scope, 0, 0).at(0), "touch"));
  scope.devices[0].time.idle_ns = 200'000'000;
  CHECK(advise(scope, 0, 0).empty());
  // Of a device of which most is unknown nobody can say what limits it.
  auto unknown = scope;
  unknown.devices[0].time.idle_ns = 15'000'000;
  auto& time = unknown.devices.front().time;
  time.unknown_ns = time.window_ns * 7 / 10;
  time.compute_ns -= time.unknown_ns;
  for (const auto& a : advise(unknown, 0, 0)) CHECK_FALSE(says(a, "look at the kernels"));
}

TEST_CASE("pageable copies that nothing hides are found, hidden and small ones are not") {
  report::Device device;
  device.time.window_ns = 1'000'000'000;
  device.time.copy_only_ns = 320'000'000;
  report::Copy copy;
  copy.direction = "HtoD";
  copy.source = "pageable";
  copy.destination = "device";
  copy.same_stream = 10;
  copy.time.count = 10;
  copy.time.total_ns = 320'000'000;
  device.copies.push_back(copy);
  copy.source = "pinned";
  copy.hidden_ns = 300'000'000;
  device.copies.push_back(copy);
  const auto found = findings(device);
  REQUIRE(found.size() == 1);
  CHECK(found[0].finding == "copy not overlapped");
  CHECK(found[0].ns == 320'000'000);
  CHECK(found[0].text.find("pageable") != std::string::npos);
  CHECK(found[0].text.find("10 of 10 on a stream that also runs kernels") != std::string::npos);
  report::Scope scope;
  scope.devices.push_back(device);
  const auto advice = advise(scope, 10, 0);
  REQUIRE(advice.size() == 1);
  CHECK(says(advice[0], "pin_memory=True"));
  CHECK(advice[0].after_ms == Approx(68));
}

TEST_CASE("several streams that never overlap are said to be serial") {
  report::Device device;
  device.time.window_ns = 1000;
  device.time.compute_ns = 800;
  device.kernel_sum_ns = 800;
  device.streams = 4;
  const auto found = findings(device);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "4 streams, mean concurrency 1.00 while busy");
  device.kernel_sum_ns = 1200;
  CHECK(findings(device).empty());
}

TEST_CASE("no device, no advice") { CHECK(advise({}, 0, 0).empty()); }
