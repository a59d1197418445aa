// Timeline: sums are exact whatever the order and length, slices hold what a brute-force split
// says.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/timeline.h"
#include "catch.h"

namespace gapscope {
namespace {

struct Interval {
  std::int64_t begin, end;
  TimeKind kind;
};

using Slice = report::Device::Slice;

Slice sum(const std::vector<Slice>& slices) {
  Slice total{};
  for (const Slice& s : slices) {
    total.busy_ns += s.busy_ns;
    total.compute_ns += s.compute_ns;
    total.idle_ns += s.idle_ns;
  }
  return total;
}

// What of the intervals lies in [begin, end).
Slice brute_force(const std::vector<Interval>& intervals, std::int64_t begin, std::int64_t end) {
  Slice total{};
  for (const Interval& i : intervals) {
    const std::int64_t ns =
        std::max<std::int64_t>(0, std::min(end, i.end) - std::max(begin, i.begin));
    if (i.kind == TimeKind::compute) total.compute_ns += ns;
    if (i.kind == TimeKind::idle) total.idle_ns += ns;
    if (i.kind != TimeKind::idle && i.kind != TimeKind::unknown) total.busy_ns += ns;
  }
  return total;
}

void check_equal(const Slice& got, const Slice& want) {
  CHECK(got.busy_ns == want.busy_ns);
  CHECK(got.compute_ns == want.compute_ns);
  CHECK(got.idle_ns == want.idle_ns);
}

// Consecutive intervals of random kinds from `at` on.
std::vector<Interval> draw(std::mt19937& random, std::int64_t at, int n, std::int64_t longest) {
  std::vector<Interval> intervals;
  for (int i = 0; i < n; ++i) {
    const std::int64_t length = 1 + static_cast<std::int64_t>(random()) % longest;
    intervals.push_back({at, at + length, static_cast<TimeKind>(random() % 5)});
    at += length;
  }
  return intervals;
}

}  // namespace

TEST_CASE("nothing added gives no slices", "[timeline]") {
  CHECK(Timeline().finish(0, 100).slices.empty());
  Timeline t;
  t.add(10, 10, TimeKind::compute);
  t.add(20, 10, TimeKind::compute);
  t.add(-5, 10, TimeKind::compute);
  CHECK(t.finish(0, 100).slices.empty());
  t.add(10, 20, TimeKind::idle);
  CHECK(t.finish(20, 20).slices.empty());
}

TEST_CASE("a short window has a slice for each nanosecond", "[timeline]") {
  Timeline t;
  t.add(1000, 1003, TimeKind::compute);
  t.add(1003, 1005, TimeKind::idle);
  t.add(1005, 1006, TimeKind::copy_only);
  const Timeline::Result r = t.finish(1000, 1006);
  REQUIRE(r.slice_ns == 1);
  REQUIRE(r.slices.size() == 6);
  for (int i : {0, 1, 2}) check_equal(r.slices[static_cast<std::size_t>(i)], {1, 1, 0});
  for (int i : {3, 4}) check_equal(r.slices[static_cast<std::size_t>(i)], {0, 0, 1});
  check_equal(r.slices[5], {1, 0, 0});
}

TEST_CASE("slices equal the brute-force split, for windows of any length", "[timeline]") {
  std::mt19937 random(21);
  const std::int64_t epoch = 1700000000000000000;
  for (int round = 0; round < 60; ++round) {
    const int n = 1 + static_cast<int>(random() % 400);
    const std::int64_t longest = std::int64_t{1} << (random() % 34);
    const auto intervals = draw(random, epoch + round, n, longest);
    Timeline t;
    for (const Interval& i : intervals) t.add(i.begin, i.end, i.kind);
    const std::int64_t begin = intervals.front().begin, end = intervals.back().end;
    const Timeline::Result r = t.finish(begin, end);
    INFO("window " << end - begin << " slice " << r.slice_ns << " slices " << r.slices.size());
    REQUIRE(r.slices.size() <= 60);
    if (end - begin > 60) REQUIRE(r.slices.size() >= 30);
    if (end - begin > 1000) REQUIRE(r.slices.size() >= 50);
    REQUIRE(r.slice_ns * static_cast<std::int64_t>(r.slices.size()) >= end - begin);
    REQUIRE(r.slice_ns * static_cast<std::int64_t>(r.slices.size() - 1) < end - begin);
    for (std::size_t i = 0; i < r.slices.size(); ++i) {
      const std::int64_t from = begin + static_cast<std::int64_t>(i) * r.slice_ns;
      check_equal(r.slices[i], brute_force(intervals, from, from + r.slice_ns));
    }
  }
}

TEST_CASE("sums are exact in any order, and at any time", "[timeline]") {
  std::mt19937 random(22);
  for (int round = 0; round < 40; ++round) {
    auto intervals = draw(random, 5000000, 300, std::int64_t{1} << (random() % 30));
    const std::int64_t begin = intervals.front().begin, end = intervals.back().end;
    std::shuffle(intervals.begin(), intervals.end(), random);
    Timeline t;
    std::vector<Interval> so_far;
    for (const Interval& i : intervals) {
      t.add(i.begin, i.end, i.kind);
      so_far.push_back(i);
      if (so_far.size() % 50 != 0) continue;
      check_equal(sum(t.finish(begin, end).slices), brute_force(so_far, begin, end));
    }
    const Timeline::Result r = t.finish(begin, end);
    CHECK(r.slices.size() <= 60);
    CHECK(r.slices.size() >= std::min<std::size_t>(30, static_cast<std::size_t>(end - begin)));
    check_equal(sum(r.slices), brute_force(intervals, begin, end));
  }
}

TEST_CASE("what lies outside the window is in the outermost slices", "[timeline]") {
  Timeline t;
  t.add(0, 1000000, TimeKind::idle);
  t.add(1000000, 2000000, TimeKind::compute);
  t.add(2000000, 3000000, TimeKind::comm_exposed);
  const Timeline::Result r = t.finish(1000000, 2000000);
  REQUIRE(r.slices.size() <= 60);
  REQUIRE(r.slices.size() >= 10);
  check_equal(sum(r.slices), {2000000, 1000000, 1000000});
  CHECK(r.slices.front().idle_ns > 900000);
  CHECK(r.slices.back().busy_ns > 900000);
}

TEST_CASE("idle time is told apart by cause, to the nanosecond", "[timeline]") {
  std::mt19937 random(23);
  for (int round = 0; round < 40; ++round) {
    Timeline t;
    struct Piece {
      std::int64_t begin, end;
      std::size_t cause;
    };
    std::vector<Piece> pieces;
    const std::int64_t begin = 1'000'000 + round;
    const std::int64_t longest = std::int64_t{1} << (random() % 24);
    std::int64_t at = begin;
    for (int gap = 0; gap < 200; ++gap) {
      const std::int64_t gap_begin = at;
      CauseSlices causes;
      for (int i = static_cast<int>(random() % 4); i >= 0; --i) {
        const std::int64_t ns = 1 + static_cast<std::int64_t>(random()) % longest;
        const auto cause = static_cast<Cause>(random() % static_cast<unsigned>(kCauses));
        causes.push_back({cause, ns, {}});
        pieces.push_back({at, at + ns, static_cast<std::size_t>(cause)});
        at += ns;
      }
      // What no slice covers.
      const std::int64_t rest = static_cast<std::int64_t>(random() % 3);
      pieces.push_back({at, at + rest, static_cast<std::size_t>(Cause::unattributed)});
      at += rest;
      t.add_idle(gap_begin, at, causes);
      t.add(at, at + 10, TimeKind::compute);
      at += 10;
    }
    const Timeline::Result r = t.finish(begin, at);
    REQUIRE(r.idle_ns.size() == r.slices.size());
    for (std::size_t i = 0; i < r.slices.size(); ++i) {
      const std::int64_t from = begin + static_cast<std::int64_t>(i) * r.slice_ns;
      std::array<std::int64_t, kCauses> expected{};
      for (const Piece& p : pieces) {
        expected[p.cause] +=
            std::max<std::int64_t>(0, std::min(p.end, from + r.slice_ns) - std::max(p.begin, from));
      }
      REQUIRE(r.idle_ns[i] == expected);
      REQUIRE(r.slices[i].idle_ns ==
              std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
    }
  }
}

TEST_CASE("the ends of time", "[timeline]") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  Timeline t;
  t.add(kMax - 10, kMax, TimeKind::compute);
  t.add(0, 5, TimeKind::idle);
  t.add(5, kMax - 10, TimeKind::copy_only);
  const Timeline::Result r = t.finish(0, kMax);
  CHECK(r.slices.size() <= 60);
  check_equal(sum(r.slices), {kMax - 5, 10, 5});
}

}  // namespace gapscope
