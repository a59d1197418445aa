// Calls, waits, CPU/GPU overlap, steps.
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

template <typename List>
const auto& named(const List& list, const std::string& name) {
  for (const auto& entry : list) {
    if (entry.name == name) return entry;
  }
  FAIL("no entry " << name);
  return list[0];
}

}  // namespace

// TensorRT#1493: a blocking call over a busy device costs nothing.
TEST_CASE("a wait is split by what the device did meanwhile") {
  Fed fed;
  fed.run(1, 100, 1000, 5000);
  fed.add(sync(200, 6000));  // idle 800 before, busy 4000, idle 1000 after
  fed.run(2, 6100, 7000, 8000);
  fed.add(call(ApiId::event_synchronize, 0, 7200, 7400, Expects::none));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.waits.size() == 2);
  const report::Wait& wait = named(report.whole.waits, "cudaStreamSynchronize");
  REQUIRE(wait.calls == 1);
  REQUIRE(wait.total_ns == 5800);
  REQUIRE(wait.gpu_busy_ns == 4000);
  REQUIRE(wait.gpu_idle_ns == 1800);
  REQUIRE(named(report.whole.waits, "cudaEventSynchronize").gpu_busy_ns == 200);
  REQUIRE(named(report.whole.host_calls, "cudaStreamSynchronize").blocking_ns == 5800);
  REQUIRE(named(report.whole.host_calls, "cudaStreamSynchronize").category == "blocking sync");
  REQUIRE(named(report.whole.host_calls, "cudaLaunchKernel").blocking_ns == 0);
}

TEST_CASE("a wait is judged by the device of its context") {
  Fed fed;
  Place second;
  second.device = 1, second.context = 2, second.stream = 9;
  fed.run(1, 100, 1000, 2000).run(2, 110, 1000, 9000, 1, second);
  fed.run(3, 2100, 8000, 8100);
  fed.add(sync(3000, 5000));          // device 0 is idle then
  fed.add(sync(3000, 5000, second));  // device 1 is busy
  const report::Report report = fed.finish();
  REQUIRE(report.whole.waits[0].gpu_busy_ns == 2000);
  REQUIRE(report.whole.waits[0].gpu_idle_ns == 2000);
}

TEST_CASE("a copy call waits when it outlasts its own operation") {
  Fed fed;
  fed.add(call(ApiId::memcpy_htod, 1, 100, 2100, Expects::one)).add(copy(1, 500, 2000));
  fed.add(call(ApiId::memcpy_htod_async, 2, 3000, 3100, Expects::one)).add(copy(2, 3500, 4000));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(named(report.whole.host_calls, "cuMemcpyHtoD").blocking_ns == 2000);
  REQUIRE(named(report.whole.host_calls, "cuMemcpyHtoDAsync").blocking_ns == 0);
  REQUIRE(report.whole.waits.size() == 1);
  REQUIRE(report.whole.waits[0].gpu_busy_ns == 1500);
  REQUIRE(report.whole.overlap.cpu_only_ns == 100);  // the second call; the first one waited
  REQUIRE(report.whole.overlap.both_ns == 0);
}

TEST_CASE("a launch into a full queue waits") {
  Fed fed;
  auto info = make_record<ThreadInfoRecord>(0);
  info.os_thread_id = 1234;
  fed.add(info);
  auto full = make_record<OverheadRecord>();
  full.type = OverheadType::command_buffer_full;
  full.os_thread_id = 1234;
  full.start_ns = 150, full.end_ns = 900;
  fed.add(full);
  fed.add(launch(1, 100, 1000)).add(kernel(1, 1100, 1200));
  fed.add(launch(2, 1000, 1010)).add(kernel(2, 1300, 1400));
  Place other;
  other.thread = 1;
  fed.add(launch(3, 200, 300, other)).add(kernel(3, 1500, 1600));
  const report::Report report = fed.finish();
  REQUIRE(report.whole.host_calls[0].blocking_ns == 900);
  REQUIRE(report.whole.waits.size() == 1);
  REQUIRE(report.whole.waits[0].calls == 1);
}

TEST_CASE("the four shares of CPU and GPU time") {
  Fed fed;
  fed.run(1, 100, 1000, 3000);                                  // GPU 1000-3000
  fed.add(call(ApiId::malloc_, 0, 2000, 4000, Expects::none));  // CPU 2000-4000
  fed.add(sync(4100, 4900));                                    // waiting is not work
  fed.run(2, 5000, 6000, 7000);                                 // CPU 5000-5002
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Overlap& o = report.whole.overlap;
  REQUIRE(o.window_ns == 6000);
  REQUIRE(o.both_ns == 1000);
  REQUIRE(o.gpu_only_ns == 2000);
  REQUIRE(o.cpu_only_ns == 1000 + 2);
  REQUIRE(o.neither_ns == 2000 - 2);
  REQUIRE(o.basis == "CUDA calls only");
}

TEST_CASE("threads that work at one time count once") {
  Fed fed;
  fed.run(1, 100, 1000, 1100);
  Place other;
  other.thread = 1;
  fed.add(call(ApiId::malloc_, 0, 2000, 3000, Expects::none));
  fed.add(call(ApiId::malloc_, 0, 2500, 3500, Expects::none, other));
  fed.run(2, 100, 5000, 5100);
  REQUIRE(fed.finish().whole.overlap.cpu_only_ns == 1500);
}

namespace {

// Steps of the given lengths in us, each with one kernel of 100 ns, 50 ns after the mark.
report::Report steps_of(const std::vector<std::uint64_t>& us) {
  Fed fed;
  std::uint64_t now = 1'000'000;
  std::uint32_t id = 1;
  fed.add(mark(MarkKind::step, now));
  for (const std::uint64_t length : us) {
    fed.run(id++, now + 10, now + 50, now + 150);
    now += length * 1000;
    fed.add(mark(MarkKind::step, now));
  }
  const report::Report report = fed.finish(now + 1000);
  REQUIRE_REPORT_HOLDS(report);
  return report;
}

}  // namespace

TEST_CASE("warm-up ends when three steps are alike") {
  const report::Report report = steps_of({3000, 500, 41, 40, 42, 40, 40, 44, 40});
  REQUIRE(report.steps.source == "marked");
  REQUIRE(report.steps.warmup_steps == 5);
  REQUIRE(report.steps.time.count == 4);
  REQUIRE(report.steps.time.max_ns == 44000);
  REQUIRE(report.steps.worst_index == 7);
  REQUIRE(report.steady.has_value());
  REQUIRE(report.steady->devices[0].operations == 4);
  // From the first operation launched in the steady state: 3 whole steps and its own time.
  REQUIRE(report.steady->devices[0].time.window_ns == 124000 + 100);
  REQUIRE(report.warmup_ns ==
          report.whole.devices[0].time.window_ns - report.steady->devices[0].time.window_ns);
  REQUIRE(report.steady->host_calls[0].time.count == 4);
}

TEST_CASE("a slow step soon after takes the steady state back") {
  const report::Report report = steps_of({40, 40, 40, 41, 2000, 40, 40, 40, 43, 40, 40, 40});
  REQUIRE(report.steps.warmup_steps == 8);
  REQUIRE(report.steps.time.count == 4);
  REQUIRE(report.steady->devices[0].operations == 4);
  REQUIRE(report.whole.devices[0].operations == 12);
}

TEST_CASE("a slow step much later belongs to the steady state") {
  std::vector<std::uint64_t> us(30, 40);
  us[25] = 2000;
  const report::Report report = steps_of(us);
  REQUIRE(report.steps.warmup_steps == 3);
  REQUIRE(report.steps.worst_index == 25);
  REQUIRE(report.steps.time.max_ns == 2'000'000);
}

TEST_CASE("steps that are never alike become steady all the same") {
  std::vector<std::uint64_t> us;
  for (int i = 0; i < 30; ++i) us.push_back(i % 2 ? 20 : 50);
  REQUIRE(steps_of(us).steps.warmup_steps == 20);
}

TEST_CASE("too few steps have no steady state") {
  const report::Report report = steps_of({40, 41});
  REQUIRE_FALSE(report.steady.has_value());
  REQUIRE(report.steps.time.count == 2);
  REQUIRE(report.steps.warmup_steps == 0);
}

}  // namespace gapscope::test
