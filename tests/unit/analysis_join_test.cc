// Calls and device records that meet, miss each other, or come too late.
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kBase = 100 * kSecond;

// Ticks once a second from then on that vouch for everything.
void pass_time(Fed& fed, std::uint64_t from_ns, int seconds) {
  for (int i = 0; i <= seconds; ++i) {
    fed.add(tick(from_ns + static_cast<std::uint64_t>(i) * kSecond));
  }
}

}  // namespace

TEST_CASE("a launch is outstanding until its record comes, in whatever order") {
  Fed fed;
  fed.add(launch(1, 100, 110));
  REQUIRE(fed.analysis.outstanding() == 1);
  fed.add(kernel(1, 200, 300));
  REQUIRE(fed.analysis.outstanding() == 0);
  fed.add(kernel(2, 400, 500)).add(launch(2, 350, 360));
  REQUIRE(fed.analysis.outstanding() == 0);
  const report::Report report = fed.finish();
  REQUIRE(report.records.seen == 2);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.records.orphaned == 0);
}

TEST_CASE("captured, failed and empty calls are never outstanding") {
  Fed fed;
  fed.add(launch(1, 100, 110, {}, kApiCaptured));
  fed.add(launch(2, 120, 130, {}, kApiFailed));
  fed.add(call(ApiId::memcpy_htod_async, 3, 140, 150, Expects::one, {}, kApiZeroBytes));
  fed.add(call(ApiId::memcpy_any_async, 4, 160, 170, Expects::maybe));
  REQUIRE(fed.analysis.outstanding() == 0);
  const report::Report report = fed.finish();
  REQUIRE(report.records.calls == 4);
  REQUIRE(report.records.captured == 1);
  REQUIRE(report.records.failed == 1);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.whole.host_calls[0].captured == 1);
  REQUIRE(report.whole.host_calls[0].failed == 1);
}

TEST_CASE("a gap is not final while the call that may fill it is outstanding") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 500, kBase + 510));  // a kernel of 20 s
  pass_time(fed, kBase + kSecond, 20);
  REQUIRE(fed.analysis.outstanding() == 1);
  REQUIRE(fed.analysis.report().complete_until_ns == static_cast<std::int64_t>(kBase + 500));
  fed.add(kernel(2, kBase + 3000, kBase + 20 * kSecond));
  const report::Report report = fed.finish(kBase + 30 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.late == 0);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.whole.devices[0].time.unknown_ns == 0);
  REQUIRE(report.whole.devices[0].time.idle_ns == 1000);
}

TEST_CASE("a launch whose record never comes makes unknown time, never idle") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 5000, kBase + 5100));  // lost
  fed.run(3, kBase + 6000, kBase + 9000, kBase + 9500);
  REQUIRE(fed.analysis.outstanding() == 1);
  pass_time(fed, kBase + kSecond, 6);
  REQUIRE(fed.analysis.outstanding() == 0);
  const report::Report report = fed.analysis.report();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.unmatched == 1);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.time.window_ns == 8500);
  REQUIRE(device.time.unknown_ns == 4000);  // from its entry to the next operation of its stream
  REQUIRE(device.time.idle_ns == 3000);
  REQUIRE(device.launch_bound_ns == 3000);  // what it waited for was not launched yet
}

TEST_CASE("a late record corrects what was unknown") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 5000, kBase + 5100));
  fed.run(3, kBase + 6000, kBase + 9000, kBase + 9500);
  pass_time(fed, kBase + kSecond, 6);
  REQUIRE(fed.analysis.report().records.unmatched == 1);
  fed.add(kernel(2, kBase + 5500, kBase + 7500, 2));
  const report::Report report = fed.finish(kBase + 10 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.records.late == 1);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.time.window_ns == 8500);
  REQUIRE(device.time.unknown_ns == 0);
  REQUIRE(device.time.compute_ns == 1500 + 2000);
  REQUIRE(device.time.idle_ns == 3000 + 500 + 1500);
  REQUIRE(device.operations == 3);
}

TEST_CASE("a late record leaves unknown what another lost launch may have filled") {
  Fed fed;
  Place other;
  other.stream = 8, other.handle = 80;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.run(2, kBase + 10, kBase + 1000, kBase + 2000, 1, other);
  fed.add(launch(3, kBase + 5000, kBase + 5100));         // unknown until 9000
  fed.add(launch(4, kBase + 6000, kBase + 6100, other));  // unknown until 8000
  fed.run(5, kBase + 6500, kBase + 9000, kBase + 9500);
  fed.run(6, kBase + 6600, kBase + 8000, kBase + 8500, 1, other);
  pass_time(fed, kBase + kSecond, 9);
  REQUIRE(fed.analysis.report().whole.devices[0].time.unknown_ns == 3000 + 500);
  fed.add(kernel(3, kBase + 5200, kBase + 6200, 2));
  const report::Report report = fed.finish(kBase + 20 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.unmatched == 1);
  const report::Device& device = report.whole.devices[0];
  // 5000-5200 idle, 5200-6200 busy, 6200-8000 unknown still (4), 8500-9000 idle.
  REQUIRE(device.time.unknown_ns == 1800);
  REQUIRE(device.time.idle_ns == 3000 + 200 + 500);
}

TEST_CASE("a synchronisation shows that a lost launch had finished") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 2500, kBase + 2600));  // lost; nothing else on its stream
  fed.add(sync(kBase + 3000, kBase + 4000));
  Place other;
  other.stream = 8, other.handle = 80;
  fed.run(3, kBase + 4500, kBase + 6000, kBase + 7000, 1, other);
  pass_time(fed, kBase + kSecond, 6);
  REQUIRE(fed.analysis.outstanding() == 0);
  const report::Report report = fed.finish(kBase + 10 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices[0].time.unknown_ns == 1500);
  REQUIRE(report.whole.devices[0].time.idle_ns == 500 + 2000);
}

TEST_CASE("records that a long kernel holds up are no lost ones") {
  Fed fed;
  const bool device_known = GENERATE(true, false);
  const std::uint32_t count = 2000;
  if (device_known) fed.run(1, kBase - 20'000, kBase - 15'000, kBase - 14'000);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = kBase + i * 1000ull;
    fed.add(launch(10 + i, at, at + 10));
  }
  const std::uint64_t synced = kBase + (count + 10) * 1000ull;
  fed.add(call(ApiId::context_synchronize, 0, kBase + count * 1000ull, synced, Expects::none));
  fed.add(launch(5000, synced + 100, synced + 200));
  pass_time(fed, synced + kSecond, 9);  // no buffer comes: all hold the kernel that runs
  // It has ended, as the call that waits for it tells, but no flush has begun since.
  const std::uint64_t done = synced + 10 * kSecond;
  fed.add(call(ApiId::context_synchronize, 0, synced + 300, done + 100, Expects::none));
  fed.add(tick(TickKind::periodic, done + 1000, done + 1000, synced + 9 * kSecond));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = kBase + i * 1000ull;
    fed.add(kernel(10 + i, at + 100, at + 900));
  }
  fed.add(kernel(5000, synced + 300, done));
  const report::Report report = fed.finish(done + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.late == 0);
  REQUIRE(
      report.whole.devices[0].time.compute_ns ==
      static_cast<std::int64_t>(count * 800ull + 10 * kSecond - 300 + (device_known ? 1000 : 0)));
}

TEST_CASE("without any later operation unknown time reaches the end of the window") {
  Fed fed;
  Place other;
  other.stream = 8, other.handle = 80;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 2500, kBase + 2600));
  fed.run(3, kBase + 4500, kBase + 6000, kBase + 7000, 1, other);
  const report::Report report = fed.finish(kBase + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.unmatched == 1);
  REQUIRE(report.whole.devices[0].time.window_ns == 6000);
  REQUIRE(report.whole.devices[0].time.unknown_ns == 3500);
  REQUIRE(report.whole.devices[0].time.idle_ns == 500);
}

TEST_CASE("a graph launch matches many kernels and closes by a later operation of its stream") {
  Fed fed;
  fed.add(call(ApiId::graph_launch, 1, kBase, kBase + 100, Expects::many));
  for (std::uint64_t i = 0; i < 5; ++i) {
    fed.add(kernel(1, kBase + 1000 + i * 100, kBase + 1050 + i * 100));
  }
  pass_time(fed, kBase + kSecond, 3);
  REQUIRE(fed.analysis.outstanding() == 1);
  fed.run(2, kBase + 6 * kSecond, kBase + 7 * kSecond, kBase + 7 * kSecond + 500);
  fed.add(tick(kBase + 8 * kSecond));
  REQUIRE(fed.analysis.outstanding() == 0);
  const report::Report report = fed.finish(kBase + 9 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.orphaned == 0);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.whole.devices[0].spacing_ns == 4 * 50);  // its nodes were queued together
}

TEST_CASE("the exit does not wait for a graph launch that has been synchronised and flushed") {
  Fed fed;
  fed.add(call(ApiId::graph_launch, 1, kBase, kBase + 100, Expects::many));
  fed.add(kernel(1, kBase + 1000, kBase + 1050));
  fed.add(sync(kBase + 200, kBase + 1100));
  REQUIRE(fed.analysis.outstanding() == 1);
  fed.add(tick(kBase + 2000));
  REQUIRE(fed.analysis.outstanding() == 0);
}

TEST_CASE("a graph launched before is known by its size") {
  Fed fed;
  const auto nodes = [&](std::uint32_t id, std::uint64_t at, int count) {
    for (int i = 0; i < count; ++i) {
      KernelRecord node = kernel(id, at + static_cast<std::uint64_t>(i) * 10,
                                 at + static_cast<std::uint64_t>(i) * 10 + 5);
      node.graph_id = 9;
      fed.add(node);
    }
  };
  fed.add(call(ApiId::graph_launch, 1, kBase, kBase + 10, Expects::many));
  nodes(1, kBase + 100, 4);
  fed.add(call(ApiId::graph_launch, 2, kBase + 200, kBase + 210, Expects::many));
  nodes(2, kBase + 300, 3);
  fed.add(tick(kBase + 1000));
  REQUIRE(fed.analysis.outstanding() == 1);
  KernelRecord last = kernel(2, kBase + 330, kBase + 335);
  last.graph_id = 9;
  fed.add(last);
  REQUIRE(fed.analysis.outstanding() == 0);
}

TEST_CASE("kernels that no call announces count in full") {
  Fed fed;
  fed.run(1, 100, 1000, 2000);
  fed.add(kernel(77, 3000, 4000)).add(kernel(77, 4500, 5000));
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.orphaned == 2);
  REQUIRE(report.whole.devices[0].time.compute_ns == 2500);
  REQUIRE(report.whole.devices[0].operations == 3);
}

TEST_CASE("a kernel may begin a little before its call by a skewed clock, not by far") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  fed.add(launch(2, kBase + 1000, kBase + 1100)).add(kernel(2, kBase + 990, kBase + 1200));
  fed.add(launch(3, kBase + kSecond, kBase + kSecond + 10))
      .add(kernel(3, kBase + 5000, kBase + 6000));
  fed.add(kernel(4, kBase + 5000, kBase + 6000))
      .add(launch(4, kBase + kSecond, kBase + kSecond + 10));
  const report::Report report = fed.finish(kBase + 3 * kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.invalid == 2);
  REQUIRE(report.records.seen == 2);
  REQUIRE(report.records.unmatched == 0);
  REQUIRE(report.whole.devices[0].time.compute_ns == 100 + 210);
}

TEST_CASE("an operation swept before its call came is no orphan after all") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  fed.add(kernel(2, kBase + 900, kBase + 950));
  fed.add(tick(kBase + 1000));
  REQUIRE(fed.analysis.report().records.orphaned == 1);
  fed.add(launch(2, kBase + 1001, kBase + 1010));
  REQUIRE(fed.analysis.outstanding() == 0);
  REQUIRE(fed.finish(kBase + kSecond).records.orphaned == 0);
}

TEST_CASE("a reused correlation id gives up the launch from before the wrap") {
  Fed fed;
  const std::uint64_t later = kBase + 10000 * kSecond;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  fed.add(launch(2, kBase + 300, kBase + 310));  // lost
  fed.add(kernel(3, kBase + 400, kBase + 500));  // its call was lost
  fed.run(2, later, later + 100, later + 200);
  fed.run(3, later + 50, later + 200, later + 300);
  const report::Report report = fed.finish(later + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.unmatched == 1);
  REQUIRE(report.records.orphaned == 1);
  REQUIRE(report.records.seen == 4);
}

TEST_CASE("an operation that comes after its time was swept counts, its remaining time too") {
  Fed fed;
  fed.run(1, kBase, kBase + 100, kBase + 200);
  fed.add(tick(kBase + 1000));
  fed.add(kernel(50, kBase + 500, kBase + 1500, 2));  // by a device-side launch
  fed.run(2, kBase + 1600, kBase + 2000, kBase + 3000);
  const report::Report report = fed.finish(kBase + kSecond);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.late == 1);
  REQUIRE(report.records.orphaned == 1);
  REQUIRE(report.whole.devices[0].operations == 3);
  REQUIRE(report.whole.devices[0].kernel_sum_ns == 100 + 1000 + 1000);
  REQUIRE(report.whole.devices[0].time.compute_ns == 100 + 500 + 1000);
}

}  // namespace gapscope::test
