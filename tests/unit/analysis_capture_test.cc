// GAPSCOPE_CAPTURE: what is counted, and what the window is then.
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

AnalysisOptions capture(CaptureSpec::Mode mode, std::uint64_t first = 0, std::uint64_t last = 0) {
  AnalysisOptions options;
  options.capture = {mode, first, last};
  return options;
}

}  // namespace

TEST_CASE("in range mode nothing counts without a range") {
  Fed fed(capture(CaptureSpec::Mode::range));
  fed.run(1, 100, 1000, 2000).add(sync(2100, 2200));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices.empty());
  REQUIRE(report.whole.host_calls.empty());
  REQUIRE(report.records.seen == 1);
  REQUIRE(report.records.outside == 1);
}

TEST_CASE("a range counts what was launched in it, by its window") {
  Fed fed(capture(CaptureSpec::Mode::range));
  fed.run(1, 100, 1000, 2000);  // before
  fed.add(mark(MarkKind::capture_on, 1500));
  fed.run(2, 1600, 3000, 4000);
  fed.run(3, 1700, 6000, 7000, 2);
  fed.add(mark(MarkKind::capture_off, 1800));
  fed.run(4, 1900, 8000, 9000);  // after
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.time.window_ns == 4000);
  REQUIRE(device.time.compute_ns == 2000);
  REQUIRE(device.time.idle_ns == 2000);
  REQUIRE(device.operations == 2);
  REQUIRE(device.first_op_ns == 3000);
  REQUIRE(device.last_op_ns == 7000);
  REQUIRE(report.records.outside == 2);
  REQUIRE(report.whole.host_calls[0].time.count == 2);
}

TEST_CASE("operations launched outside are busy time inside the window and in no table") {
  Fed fed(capture(CaptureSpec::Mode::range));
  Place other;
  other.stream = 8, other.handle = 80;
  fed.run(1, 100, 3500, 4500, 2, other);  // launched before, runs inside
  fed.add(mark(MarkKind::capture_on, 200));
  fed.run(2, 300, 1000, 2000);
  fed.run(3, 400, 6000, 7000);
  fed.add(mark(MarkKind::capture_off, 500));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.time.window_ns == 6000);
  REQUIRE(device.time.compute_ns == 3000);
  REQUIRE(device.time.idle_ns == 1500 + 1500);
  REQUIRE(device.gaps.count == 2);
  REQUIRE(device.kernels.size() == 1);
  REQUIRE(device.operations == 2);
}

TEST_CASE("the time between two ranges is outside") {
  Fed fed(capture(CaptureSpec::Mode::range));
  fed.add(mark(MarkKind::capture_on, 100)).run(1, 110, 1000, 2000).run(2, 120, 2500, 3000);
  fed.add(mark(MarkKind::capture_off, 200)).run(3, 4000, 5000, 6000);
  fed.add(mark(MarkKind::capture_on, 7000)).run(4, 7100, 8000, 9000).run(5, 7200, 9700, 10000);
  fed.add(mark(MarkKind::capture_off, 7300));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.time.window_ns == 2000 + 2000);
  REQUIRE(device.time.idle_ns == 500 + 700);
  REQUIRE(device.operations == 4);
  REQUIRE(report.whole.overlap.window_ns == 4000);
  REQUIRE_FALSE(report.steady.has_value());
}

TEST_CASE("steps mode counts the steps that were asked for") {
  Fed fed(capture(CaptureSpec::Mode::steps, 1, 2));
  for (std::uint32_t i = 0; i < 5; ++i) {  // marks at 1000, 2000, ...
    fed.add(mark(MarkKind::step, 1000 + i * 1000));
    fed.run(i + 1, 1100 + i * 1000, 1200 + i * 1000, 1300 + i * 1000);
  }
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices[0].operations == 2);
  REQUIRE(report.whole.devices[0].first_op_ns == 2200);
  REQUIRE(report.whole.devices[0].last_op_ns == 3300);
  REQUIRE(report.records.outside == 3);
  REQUIRE(report.steps.time.count == 2);
  REQUIRE(report.steps.warmup_steps == 0);
}

TEST_CASE("time mode counts from the first operation on") {
  Fed late(capture(CaptureSpec::Mode::time, 1000, 3000));
  for (std::uint32_t i = 0; i < 6; ++i) late.run(i + 1, 100 + i, 1000 + i * 1000, 1100 + i * 1000);
  const report::Report report = late.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices[0].operations == 2);
  REQUIRE(report.whole.devices[0].first_op_ns == 2000);

  Fed from_start(capture(CaptureSpec::Mode::time, 0, 1500));
  for (std::uint32_t i = 0; i < 6; ++i) {
    from_start.run(i + 1, 100 + i, 1000 + i * 1000, 1100 + i * 1000);
  }
  REQUIRE(from_start.finish().whole.devices[0].operations == 2);
}

}  // namespace gapscope::test
