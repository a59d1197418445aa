// Work that one thread launches for another that waits (NVTX#101).
#include "analysis_ranges_feed.h"
#include "catch.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

constexpr std::uint32_t kMain = 0, kAutograd = 1;

// Step > Forward, Backward (launched by another thread), Optimizer.
void train_step(RangeFeed& feed, std::int64_t t) {
  feed.push(t, kMain, "Step").push(t + 1, kMain, "Forward");
  feed.launch(t + 2, kMain, t + 100, t + 110).pop(t + 5, kMain);
  feed.push(t + 6, kMain, "Backward");
  feed.launch(t + 7, kMain, t + 110, t + 112);  // the first gradient: ones_like(loss)
  for (int i = 0; i < 20; ++i) {
    feed.launch(t + 10 + 2 * i, kAutograd, t + 112 + i * 3, t + 114 + i * 3);
  }
  feed.pop(t + 60, kMain).push(t + 61, kMain, "Optimizer");
  feed.launch(t + 62, kMain, t + 200, t + 210).pop(t + 65, kMain).pop(t + 66, kMain);
}

}  // namespace

TEST_CASE("ranges: the backward pass belongs to the range of the thread that waits for it") {
  RangeFeed feed;
  for (int i = 0; i < 50; ++i) train_step(feed, 1000 * i);
  const auto ranges = feed.ranges();
  REQUIRE(ranges.size() == 4);
  const report::Range& backward = ranges.at("Step/Backward");
  CHECK(backward.kernels == 50 * 21);
  CHECK(backward.via_thread);
  CHECK(backward.device_union_ns == 50 * (2 + 20 * 2));
  CHECK(backward.device_span_ns == 50 * (2 + 19 * 3 + 2));
  CHECK(backward.idle_ns == 50 * 19);
  CHECK(ranges.at("Step").kernels == 50 * 23);
  CHECK(ranges.at("Step").via_thread);
  CHECK_FALSE(ranges.at("Step/Forward").via_thread);
  CHECK(ranges.at("Step/Forward").kernels == 50);
  CHECK(ranges.at("Step/Optimizer").kernels == 50);
  CHECK(feed.tracker.ambiguous() == 0);
}

TEST_CASE("ranges: one range around the whole step takes the backward pass too") {
  RangeFeed feed;
  for (int s = 0; s < 50; ++s) {
    const std::int64_t t = 1000 * s;
    feed.push(t, kMain, "Step").launch(t + 1, kMain, t + 100, t + 110);
    for (int i = 0; i < 20; ++i) feed.launch(t + 10 + i, kAutograd, t + 120 + i, t + 121 + i);
    feed.launch(t + 50, kMain, t + 200, t + 210).pop(t + 60, kMain);
  }
  CHECK(feed.ranges().at("Step").kernels == 50 * 22);
}

TEST_CASE("ranges: autograd's own ranges (emit_nvtx) go below the waiting thread's") {
  RangeFeed feed;
  feed.tracker.thread_name(kAutograd, "pt_autograd_0");
  feed.push(0, kMain, "Backward").push(10, kAutograd, "MulBackward0, seq = 4, op_id = 7");
  feed.push(11, kAutograd, "aten::mul, op_id = 8").launch(12, kAutograd, 100, 120);
  feed.pop(13, kAutograd).pop(14, kAutograd).launch(15, kAutograd, 130, 140).pop(20, kMain);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("Backward") == report::Range{"Backward", 1, 20, 40, 30, 10, 2, true});
  CHECK(ranges.at("Backward/MulBackward0").kernels == 1);
  CHECK(ranges.at("Backward/MulBackward0/aten::mul").kernels == 1);
  CHECK_FALSE(ranges.at("Backward/MulBackward0/aten::mul").via_thread);
}

TEST_CASE("ranges: another thread's own ranges stay its own") {
  RangeFeed feed;
  feed.push(0, kMain, "A").push(10, 1, "B").launch(12, 1, 100, 120).pop(13, 1).pop(20, kMain);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("A").kernels == 0);
  CHECK(ranges.at("B") == report::Range{"B", 1, 3, 20, 20, 0, 1, false});
}

TEST_CASE("ranges: threads whose calls alternate do not wait for each other") {
  RangeFeed feed;
  feed.push(0, kMain, "A");
  std::int64_t t = 1;
  for (int i = 0; i < 1000; ++i) {
    feed.launch(t, kMain, t + 5000, t + 5001).launch(t + 2, 1, t + 5002, t + 5003);
    t += 4;
  }
  feed.pop(t, kMain);
  const std::int64_t kernels = feed.ranges().at("A").kernels;
  CHECK(kernels >= 1000);
  CHECK(kernels <= 1000 + RangeTracker::kStrikes + 1);
}

TEST_CASE("ranges: a thread inside a CUDA call waits for the device, not for a thread") {
  RangeFeed feed;
  feed.push(0, kMain, "A").call(1, 50, kMain).launch(10, 1, 100, 110).launch(60, 1, 120, 130);
  feed.pop(70, kMain).launch(80, 1, 140, 150);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("A").kernels == 1);
  CHECK(ranges.at("A").via_thread);
}

TEST_CASE("ranges: of several waiting threads the last to push is taken, and pinned") {
  RangeFeed feed;
  feed.push(0, 0, "A").push(1, 1, "B").launch(5, 2, 100, 101);
  feed.push(6, 3, "C").launch(7, 2, 102, 103);
  feed.pop(8, 1).launch(9, 2, 104, 105);
  const auto ranges = feed.ranges(false, 20);
  CHECK(ranges.at("A").kernels == 0);
  CHECK(ranges.at("B").kernels == 2);  // the second although C was pushed since
  CHECK(ranges.at("C").kernels == 1);
  CHECK(feed.tracker.ambiguous() == 2);
}
