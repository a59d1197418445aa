// What is lost, late or out of place must show: no count of 0 where something was, no idle time
// where something may have run.
#include "analysis/device_sweep.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kBase = 100 * kSecond;
constexpr std::uint32_t kMany = static_cast<std::uint32_t>(DeviceSweep::kMaxOpenUnknown);

Place stream(std::uint32_t number) {
  Place at;
  at.stream = number, at.handle = number * 10;
  return at;
}

void pass_time(Fed& fed, std::uint64_t from_ns, int seconds) {
  for (int i = 0; i <= seconds; ++i) {
    fed.add(tick(from_ns + static_cast<std::uint64_t>(i) * kSecond));
  }
}

void graph_launch(Fed& fed, std::uint32_t id, std::uint64_t at_ns, std::uint32_t nodes) {
  fed.add(call(ApiId::graph_launch, id, at_ns, at_ns + 10, Expects::many));
  for (std::uint32_t i = 0; i < nodes; ++i) {
    KernelRecord node = kernel(id, at_ns + 100 + i * 100, at_ns + 150 + i * 100);
    node.graph_id = 5;
    fed.add(node);
  }
}

}  // namespace

TEST_CASE("more lost launches than the table holds leave no idle time") {
  // One more than the table holds, on one stream or each on its own; something else runs later.
  const bool own_streams = GENERATE(false, true);
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200, 1, stream(1));
  std::uint64_t at = kBase + 1000;
  for (std::uint32_t i = 0; i < kMany; ++i, at += 10) {
    fed.add(launch(100 + i, at, at + 2, stream(own_streams ? 100 + i : 2)));
  }
  fed.add(launch(9999, at, at + 2, stream(3)));  // the one too many
  const std::uint64_t last_launch = at;
  // All the others have surely ended by then, the last one has not.
  at += 1000;
  for (std::uint32_t i = 0; i < (own_streams ? kMany : 1); ++i, at += 10) {
    fed.run(20000 + i, at, at + 3, at + 8, 1, stream(own_streams ? 100 + i : 2));
  }
  fed.run(30000, at, at + 5000, at + 5100, 1, stream(1));
  pass_time(fed, kBase + kSecond, 6);
  const report::Report report = fed.finish(kBase + 20 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.unmatched == kMany + 1);
  // Idle until the first lost launch entered; from then on never for sure.
  CHECK(report.whole.devices[0].time.idle_ns == 800);
  CHECK(report.whole.devices[0].time.unknown_ns > static_cast<std::int64_t>(at - last_launch));
}

TEST_CASE("launches put together end with the last of them") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200, 1, stream(1));
  std::uint64_t at = kBase + 1000;
  for (std::uint32_t i = 0; i <= kMany; ++i, at += 10) {
    fed.add(launch(100 + i, at, at + 2, stream(2)));
  }
  fed.run(9000, at, at + 1000, at + 1100, 1, stream(2));
  fed.run(9001, at + 100, at + 2000, at + 2100, 1, stream(1));
  pass_time(fed, kBase + kSecond, 6);
  const report::Report report = fed.finish(kBase + 20 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.whole.devices[0].time.unknown_ns == static_cast<std::int64_t>(at - kBase));
  CHECK(report.whole.devices[0].time.idle_ns == 800 + 900);
}

TEST_CASE("the record of a launch that had no place of its own makes nothing idle") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200, 1, stream(1));
  std::uint64_t at = kBase + 1000;
  for (std::uint32_t i = 0; i <= kMany; ++i, at += 10) {
    fed.add(launch(100 + i, at, at + 2, stream(2)));
  }
  fed.run(9000, at, at + 1000, at + 1100, 1, stream(2));
  pass_time(fed, kBase + kSecond, 6);
  const std::int64_t unknown_ns = fed.analysis.report().whole.devices[0].time.unknown_ns;
  for (const std::uint32_t id : {100 + kMany, 100 + kMany - 1}) {
    fed.add(kernel(id, at + 100 + (id - kMany), at + 101 + (id - kMany), 1, stream(2)));
  }
  const report::Report report = fed.finish(kBase + 20 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.unmatched == kMany - 1);
  CHECK(report.whole.devices[0].time.unknown_ns == unknown_ns - 2);
  CHECK(report.whole.devices[0].time.idle_ns == 800);
}

TEST_CASE("what comes late says how much of the time was summed up without it") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  fed.add(tick(kBase + 1000));
  fed.add(kernel(50, kBase + 500, kBase + 1500, 2));  // half of it is swept
  fed.add(kernel(51, kBase + 700, kBase + 800, 2));   // all of it
  fed.add(sync(kBase + 900, kBase + 1200));
  fed.add(mark(MarkKind::range_push, kBase + 950));
  fed.run(2, kBase + 1600, kBase + 2000, kBase + 3000);
  const report::Report report = fed.finish(kBase + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.late == 2);
  CHECK(report.records.late_ns == 500 + 100);
  CHECK(report.records.late_calls == 2);
}

TEST_CASE("a late record whose time was unknown corrects it and takes nothing from the idle time") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 5000, kBase + 5100));
  fed.run(3, kBase + 6000, kBase + 9000, kBase + 9500);
  pass_time(fed, kBase + kSecond, 6);
  fed.add(kernel(2, kBase + 5500, kBase + 7500, 2));
  const report::Report report = fed.finish(kBase + 10 * kSecond);
  CHECK(report.records.late == 1);
  CHECK(report.records.late_ns == 0);
}

TEST_CASE("nodes of a graph that other launches of it had are missing") {
  Fed fed;
  std::uint64_t at = kBase;
  for (std::uint32_t i = 1; i <= 20; ++i, at += 10'000) graph_launch(fed, i, at, 5);
  graph_launch(fed, 21, at, 3);
  at += 10'000;
  fed.run(22, at, at + 100, at + 200);
  pass_time(fed, kBase + kSecond, 5);
  CHECK(fed.analysis.report().records.missing_nodes == 2);
  KernelRecord node = kernel(21, at - 10'000 + 400, at - 10'000 + 450);
  node.graph_id = 5;
  fed.add(node);  // one of them was late
  const report::Report report = fed.finish(kBase + 20 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.missing_nodes == 1);
  CHECK(report.records.unmatched == 0);
}

TEST_CASE("launches of a graph whose number of nodes varies miss none") {
  Fed fed;
  std::uint64_t at = kBase;
  for (std::uint32_t i = 1; i <= 20; ++i, at += 10'000) graph_launch(fed, i, at, 1 + i % 3);
  CHECK(fed.finish(kBase + 20 * kSecond).records.missing_nodes == 0);
}

TEST_CASE("what follows a range does not widen its window, however much it is") {
  AnalysisOptions options;
  options.capture.mode = CaptureSpec::Mode::range;
  Fed fed(options);
  const bool again = GENERATE(false, true);
  fed.add(mark(MarkKind::capture_on, kBase));
  fed.run(1, kBase + 10, kBase + 100, kBase + 200);
  fed.add(mark(MarkKind::capture_off, kBase + 300));
  std::uint64_t at = kBase + 400;
  const auto count = static_cast<std::uint32_t>(DeviceSweep::kMaxHeldBack);
  for (std::uint32_t i = 0; i < count; ++i, at += 100) fed.run(10 + i, at, at + 10, at + 20);
  fed.add(tick(at));
  if (again) {
    fed.add(mark(MarkKind::capture_on, at));
    fed.run(2, at + 10, at + 100, at + 200);
    fed.add(mark(MarkKind::capture_off, at + 300));
  }
  const report::Report report = fed.finish(at + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.whole.devices[0].time.window_ns == (again ? 200 : 100));
  CHECK(report.records.outside == count);
  CHECK(report.records.overflow == 0);
}

TEST_CASE("time that had to be left out of a range is told") {
  AnalysisOptions options;
  options.capture.mode = CaptureSpec::Mode::range;
  Fed fed(options);
  // Launched inside the range, but it runs after all that follows it on another stream.
  fed.add(mark(MarkKind::capture_on, kBase));
  fed.run(1, kBase + 10, kBase + 100, kBase + 200);
  const std::uint64_t end = kBase + 100 * (DeviceSweep::kMaxHeldBack + 100);
  fed.add(launch(2, kBase + 20, kBase + 25, stream(9)));
  fed.add(kernel(2, end, end + 100, 1, stream(9)));
  fed.add(mark(MarkKind::capture_off, kBase + 300));
  std::uint64_t at = kBase + 400;
  for (std::uint32_t i = 0; i < DeviceSweep::kMaxHeldBack; ++i, at += 100) {
    fed.run(10 + i, at, at + 10, at + 20);
  }
  const report::Report report = fed.finish(end + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.overflow > 0);
}

TEST_CASE("a loss that was told as a total and is marked later counts once") {
  const auto lost = [](std::uint64_t count, std::uint8_t flags) {
    auto r = make_record<LostRecord>();
    r.header.flags = flags;
    r.count = count;
    return r;
  };
  Fed fed;
  fed.add(lost(4, 0)).add(lost(10, kLostTotal));
  CHECK(fed.analysis.report().records.dropped_ring == 10);
  fed.add(lost(6, 0));
  CHECK(fed.analysis.report().records.dropped_ring == 10);
  fed.add(lost(3, 0));
  CHECK(fed.analysis.report().records.dropped_ring == 13);
  fed.add(lost(13, kLostTotal));
  CHECK(fed.finish(kBase).records.dropped_ring == 13);
}

// Of a copy nobody knows whether it leaves a record, so it is not waited for; but while a long
// kernel holds up the buffer that its record may be in, it says nothing that none comes.
TEST_CASE("a copy that may leave a record is waited for while a long kernel holds records up") {
  const bool confirmed = GENERATE(false, true);  // its stream was seen to be done
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(call(ApiId::memcpy_any_async, 2, kBase + 5000, kBase + 5100, Expects::maybe));
  if (confirmed) fed.add(sync(kBase + 5200, kBase + 50'001'000));
  const std::uint64_t launched = kBase + 60'000'000;
  fed.add(launch(3, launched, launched + 10, stream(9)));
  pass_time(fed, kBase + kSecond, 6);
  fed.add(copy(2, kBase + 6000, kBase + 50'000'000));
  fed.add(kernel(3, launched + 100, kBase + 7 * kSecond, 1, stream(9)));
  const report::Report report = fed.finish(kBase + 10 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.late == 0);
  CHECK(report.whole.devices[0].time.copy_only_ns == 50'000'000 - 6000);
}

TEST_CASE(
    "a copy that blocks its call for seconds is a wait, whether or not it had to leave a record") {
  const Expects expects = GENERATE(Expects::one, Expects::maybe);
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  const std::uint64_t end = kBase + 5 * kSecond;
  for (int s = 1; s < 5; ++s) {  // it is in progress: its entry bounds what ticks vouch for
    const std::uint64_t now = kBase + static_cast<std::uint64_t>(s) * kSecond;
    fed.add(tick(TickKind::flushed, now, kBase + 5000, now));
  }
  fed.add(call(ApiId::memcpy_any, 2, kBase + 5000, end, expects));
  fed.add(copy(2, kBase + 6000, end - 1000));
  pass_time(fed, end + kSecond, 4);
  const report::Report report = fed.finish(end + 10 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.late == 0);
  REQUIRE(report.whole.waits.size() == 1);
  CHECK(report.whole.waits[0].total_ns == static_cast<std::int64_t>(end - kBase - 5000));
  CHECK(report.whole.waits[0].gpu_busy_ns == static_cast<std::int64_t>(end - kBase - 7000));
}

TEST_CASE("steps of the clock stand in the report, all of them added") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  for (const std::int64_t step_ns : {std::int64_t{-3'000}, std::int64_t{5'000}}) {
    auto step = make_record<ClockStepRecord>();
    step.time_ns = kBase;
    step.step_ns = step_ns;
    fed.add(step);
  }
  CHECK(fed.finish(kBase + kSecond).clock_step_ns == 8'000);
}

}  // namespace gapscope::test
