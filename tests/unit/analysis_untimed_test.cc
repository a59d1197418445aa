// Records of operations whose times cannot be, or that still run at the end: counted once each.
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kBase = 100 * kSecond;

UntimedRecord untimed(std::uint32_t id, std::uint8_t flags, const Place& at = {}) {
  auto r = make_record<UntimedRecord>();
  r.header.flags = flags;
  r.correlation_id = id;
  r.device = at.device;
  r.context = at.context;
  r.stream = at.stream;
  return r;
}

void check_records(const report::Report& report, std::int64_t invalid, std::int64_t incomplete,
                   std::int64_t unmatched) {
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.invalid == invalid);
  CHECK(report.records.incomplete == incomplete);
  CHECK(report.records.unmatched == unmatched);
}

}  // namespace

TEST_CASE("a kernel that still runs at the end is incomplete: not invalid, not unmatched") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 2500, kBase + 2600));
  // Another stream goes on beside it.
  const Place beside{0, 1, 8, 80, 1};
  fed.run(3, kBase + 3000, kBase + 4000, kBase + 5000, 2, beside);
  CHECK(fed.analysis.outstanding() == 1);
  fed.add(untimed(2, kUntimedNoEnd));
  CHECK(fed.analysis.outstanding() == 0);  // nothing better will come
  const report::Report report = fed.finish(kBase + kSecond);
  check_records(report, 0, 1, 0);
  CHECK(report.records.seen == 2);
  const report::Device& device = report.whole.devices[0];
  CHECK(device.time.window_ns == 4000);
  CHECK(device.time.compute_ns == 2000);
  CHECK(device.time.idle_ns == 500);      // until its launch
  CHECK(device.time.unknown_ns == 1500);  // and never idle from then on
}

TEST_CASE("a record without times of an operation that is over is invalid, once") {
  const auto behind = GENERATE(0, 1, 2);  // what shows that it is over
  const std::uint8_t flags = GENERATE(std::uint8_t{0}, std::uint8_t{kUntimedNoEnd});
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 2500, kBase + 2600)).add(untimed(2, flags));
  if (behind == 0) fed.run(3, kBase + 4000, kBase + 5000, kBase + 6000);
  if (behind == 1) fed.add(sync(kBase + 2700, kBase + 9000));
  if (behind == 2) {
    fed.add(call(ApiId::context_synchronize, 0, kBase + 2700, kBase + 9000, Expects::none));
  }
  const report::Report report = fed.finish(kBase + kSecond);
  check_records(report, 1, 0, 0);
  if (behind == 0) CHECK(report.whole.devices[0].time.unknown_ns == 2500);
}

TEST_CASE("impossible times are invalid although nothing shows that the operation is over") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(launch(2, kBase + 2500, kBase + 2600)).add(untimed(2, 0));
  check_records(fed.finish(kBase + kSecond), 1, 0, 0);
}

TEST_CASE(
    "a record without times counts the same before its call, and after the call was given up") {
  Fed early;
  early.add(untimed(1, kUntimedNoEnd)).add(launch(1, kBase, kBase + 100));
  CHECK(early.analysis.outstanding() == 0);
  check_records(early.finish(kBase + kSecond), 0, 1, 0);

  Fed late;
  late.add(launch(1, kBase, kBase + 100));
  late.run(2, kBase + 200, kBase + 1000, kBase + 2000);
  for (std::uint64_t s = 1; s < 8; ++s) late.add(tick(kBase + s * kSecond));
  CHECK(late.analysis.report().records.unmatched == 1);
  late.add(untimed(1, 0));
  check_records(late.finish(kBase + 9 * kSecond), 1, 0, 0);
}

TEST_CASE("a record without times and without a call is invalid") {
  Fed fed;
  fed.run(1, kBase, kBase + 1000, kBase + 2000);
  fed.add(untimed(77, kUntimedNoEnd)).add(untimed(77, 0));
  check_records(fed.finish(kBase + kSecond), 2, 0, 0);
}

TEST_CASE("nodes of one graph launch without times are counted each") {
  Fed fed;
  fed.add(call(ApiId::graph_launch, 1, kBase, kBase + 100, Expects::many));
  fed.add(kernel(1, kBase + 1000, kBase + 2000));
  fed.add(untimed(1, kUntimedNoEnd)).add(untimed(1, kUntimedNoEnd));
  check_records(fed.finish(kBase + kSecond), 0, 2, 0);
}

TEST_CASE("a launch in another context does not take a record without times") {
  Fed fed;
  fed.add(launch(1, kBase, kBase + 100));
  fed.add(untimed(1, 0, Place{0, 2, 7, 70, 0}));
  check_records(fed.finish(kBase + kSecond), 1, 0, 1);
}

}  // namespace gapscope::test
