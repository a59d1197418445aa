// Ranges by hand: nesting, names, caps, marks that do not fit together.
#include <string>

#include "analysis/ranges_name.h"
#include "analysis_ranges_feed.h"
#include "catch.h"

using namespace gapscope;
using namespace gapscope::test;

TEST_CASE("ranges: nested as written, each with its host, device and idle time") {
  RangeFeed feed;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t t = 1000 * i;
    feed.push(t, 0, "Step").push(t + 10, 0, "Forward");
    feed.launch(t + 20, 0, t + 50, t + 150).launch(t + 30, 0, t + 200, t + 260);
    feed.pop(t + 40, 0).push(t + 41, 0, "Optimizer").launch(t + 45, 0, t + 300, t + 310);
    feed.pop(t + 47, 0).pop(t + 48, 0);
  }
  const auto ranges = feed.ranges();
  REQUIRE(ranges.size() == 3);
  CHECK(ranges.at("Step/Forward") == report::Range{"Step/Forward", 2, 60, 420, 320, 100, 4, false});
  CHECK(ranges.at("Step/Optimizer") == report::Range{"Step/Optimizer", 2, 12, 20, 20, 0, 2, false});
  // From 50 to 310: 170 busy, 90 idle.
  CHECK(ranges.at("Step") == report::Range{"Step", 2, 96, 520, 340, 180, 6, false});
  CHECK(feed.tracker.forgotten() == 0);
}

TEST_CASE("ranges: idle inside a span is the device's, whoever is busy") {
  RangeFeed feed;
  feed.push(0, 0, "A").launch(1, 0, 10, 20).launch(2, 0, 100, 110).pop(3, 0);
  feed.push(4, 0, "B").launch(5, 0, 30, 80).pop(6, 0);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("A").device_span_ns == 100);
  CHECK(ranges.at("A").device_union_ns == 20);
  CHECK(ranges.at("A").idle_ns == 30);  // 20-30 and 80-100
  CHECK(ranges.at("B").idle_ns == 0);
}

TEST_CASE("ranges: what emit_nvtx appends is no part of the name") {
  CHECK(strip_range_name("aten::add, seq = 12, op_id = 34, sizes = [[1, 2], []]") == "aten::add");
  CHECK(strip_range_name("AddmmBackward0, op_id = 5") == "AddmmBackward0");
  CHECK(strip_range_name("aten::to, sizes = [[3]]") == "aten::to");
  CHECK(strip_range_name("Forward, second half") == "Forward, second half");
  CHECK(strip_range_name("") == "");
  RangeFeed feed;
  for (int i = 0; i < 10000; ++i) {
    feed.push(2 * i, 0, "aten::mm, seq = " + std::to_string(i)).pop(2 * i + 1, 0);
  }
  const auto ranges = feed.ranges();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges.at("aten::mm").calls == 10000);
}

TEST_CASE("ranges: numbered siblings become one when there are many") {
  RangeFeed feed;
  std::int64_t t = 0;
  for (int i = 0; i < 5000; ++i) {
    feed.push(t, 0, "iteration " + std::to_string(i)).push(t + 1, 0, "Forward");
    feed.pop(t + 3, 0).pop(t + 4, 0);
    t += 10;
  }
  for (int i = 0; i < 48; ++i) {
    feed.push(t, 0, "layer" + std::to_string(i)).pop(t + 1, 0);
    t += 2;
  }
  const auto ranges = feed.ranges();
  CHECK(ranges.size() == 50);
  CHECK(ranges.at("iteration *").calls == 5000);
  CHECK(ranges.at("iteration */Forward").calls == 5000);
  CHECK(ranges.at("iteration */Forward").host_ns == 10000);
  CHECK(ranges.at("layer47").calls == 1);
  CHECK(feed.tracker.overflow() == 0);
}

TEST_CASE("ranges: what does not fit is in (other), once") {
  RangeFeed feed;
  std::int64_t t = 0;
  const auto name = [](int i) {  // no digits
    return std::string(1, static_cast<char>('a' + i % 26)) + static_cast<char>('a' + i / 26 % 26) +
           static_cast<char>('a' + i / 676);
  };
  for (int i = 0; i < 3000; ++i) {
    feed.push(t, 0, name(i)).push(t + 1, 0, "inner").launch(t + 2, 0, t + 3, t + 5);
    feed.pop(t + 6, 0).pop(t + 7, 0);
    t += 10;
  }
  feed.go();
  const auto list = feed.tracker.report(false, t);
  CHECK(list.size() == RangeTree::kMaxNodes);
  CHECK(list.back().path == "(other)");
  std::int64_t kernels = 0, calls = 0;
  for (const auto& range : list) {
    kernels += range.path.find('/') == std::string::npos ? range.kernels : 0;
    calls += range.calls;
  }
  // A range with its inner one in "(other)" counts there once.
  CHECK(calls == 6000);
  CHECK(kernels >= 3000);
  CHECK(kernels <= 3001);
  CHECK(feed.tracker.overflow() > 0);
}

TEST_CASE("ranges: pops without pushes, pushes without pops, endless depth") {
  RangeFeed feed;
  feed.pop(0, 0).pop(1, 7).push(2, 0, "Open").launch(3, 0, 10, 30);
  for (int i = 0; i < 1000; ++i) feed.push(4, 1, "deep");
  for (int i = 0; i < 1000; ++i) feed.pop(5, 1);
  feed.pop(6, 1).end(7, 0, 99);
  const auto ranges = feed.ranges(false, 50);
  CHECK(ranges.at("Open") == report::Range{"Open", 1, 48, 20, 20, 0, 1, false});
  CHECK(ranges.at("deep").calls == 1);
  CHECK(ranges.size() == 1 + RangeHistory::kMaxDepth);
  CHECK(feed.tracker.unbalanced() == 4);
  CHECK(feed.tracker.overflow() == 1000 - static_cast<int>(RangeHistory::kMaxDepth));
}

TEST_CASE("ranges: each domain has its own stack and tree") {
  RangeFeed feed;
  feed.push(0, 0, "Step").push(1, 0, "allreduce", "NCCL").launch(2, 0, 10, 20);
  feed.pop(3, 0).launch(4, 0, 30, 40).pop(5, 0, "NCCL").launch(6, 0, 50, 60);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("Step").kernels == 1);
  CHECK(ranges.at("[NCCL]/allreduce").kernels == 2);
  CHECK(ranges.size() == 2);
}

TEST_CASE("ranges: process-wide ranges take the work of all threads") {
  RangeFeed feed;
  feed.start(0, 0, 11, "Epoch").launch(1, 0, 10, 20).launch(2, 1, 15, 30);
  feed.start(3, 1, 12, "Eval").launch(4, 2, 40, 50).end(5, 0, 11).launch(6, 0, 60, 70);
  feed.end(7, 2, 12).launch(8, 0, 80, 90);
  const auto ranges = feed.ranges();
  CHECK(ranges.at("Epoch") == report::Range{"Epoch", 1, 5, 40, 30, 10, 3, false});
  CHECK(ranges.at("Eval") == report::Range{"Eval", 1, 4, 30, 20, 10, 2, false});
}

TEST_CASE("ranges: steady state apart, and taken back") {
  RangeFeed feed;
  feed.push(0, 0, "Step").launch(1, 0, 10, 20).pop(2, 0);
  feed.push(3, 0, "Step", {}, Phase::steady).launch(4, 0, 30, 45).pop(6, 0);
  CHECK(feed.ranges(true).at("Step") == report::Range{"Step", 1, 3, 15, 15, 0, 1, false});
  CHECK(feed.ranges(false).at("Step") == report::Range{"Step", 2, 5, 25, 25, 0, 2, false});
  feed.tracker.take_back_steady();
  CHECK(feed.ranges(true).empty());
  CHECK(feed.ranges(false).at("Step").kernels == 2);
}

TEST_CASE("ranges: memory stays bounded, what is too long ago is counted") {
  RangeFeed feed(0);  // as few transitions as possible
  feed.push(0, 1, "Whole run");
  std::int64_t t = 1;
  std::size_t held = 0;
  for (int i = 0; i < 20000; ++i) {
    feed.push(t, 0, "A").pop(t + 1, 0);
    t += 2;
    if (i % 1000 == 0) {
      feed.go();
      held = std::max(held, feed.tracker.held());
    }
  }
  CHECK(held < 3 * (RangeHistory::kMaxTracks + 2));
  feed.launch(t, 1, t + 10, t + 20).go();
  CHECK(feed.tracker.forgotten() == 0);
  CHECK(feed.ranges(false, t).at("Whole run").kernels == 1);
  RangeOperation old;
  old.start_ns = t + 30;
  old.end_ns = t + 40;
  old.launch_ns = 1;
  old.thread = 0;
  feed.tracker.operation(old);
  CHECK(feed.tracker.forgotten() == 1);
}
