// GapStats against a list of all gaps.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/gap_stats.h"
#include "catch.h"

namespace gapscope {
namespace {

GapStats::Names names() {
  return {[](std::uint32_t id) { return "kernel_" + std::to_string(id); },
          [](std::uint32_t id) { return "cause " + std::to_string(id); }};
}

Gap gap_of(std::int64_t begin, std::int64_t length, std::uint32_t id = 0) {
  return {begin,
          begin + length,
          {RecordKind::kernel, CopyDirection::unknown, id},
          {RecordKind::kernel, CopyDirection::unknown, id + 1},
          id + 2};
}

// The largest L such that gaps of L or more hold half of the time, by definition.
std::int64_t exact_half(std::vector<std::int64_t> lengths) {
  std::sort(lengths.rbegin(), lengths.rend());
  std::int64_t total = 0, seen = 0;
  for (const std::int64_t l : lengths) total += l;
  for (const std::int64_t l : lengths) {
    seen += l;
    if (2 * seen >= total) return l;
  }
  return 0;
}

std::vector<Gap> draw(std::mt19937& random, int n, double decades) {
  std::vector<Gap> gaps;
  std::int64_t at = 1000;
  for (int i = 0; i < n; ++i) {
    const auto length = static_cast<std::int64_t>(
        std::pow(10.0, std::uniform_real_distribution<double>(0, decades)(random)));
    gaps.push_back(gap_of(at, length, static_cast<std::uint32_t>(i)));
    at += length + 1 + static_cast<std::int64_t>(random() % 100000);
  }
  return gaps;
}

void check_against_list(const GapStats& stats, const std::vector<Gap>& gaps) {
  const report::Gaps r = stats.report(1000, names());
  std::vector<std::int64_t> lengths;
  std::int64_t listed = 0, listed_ns = 0, total = 0;
  for (const Gap& g : gaps) {
    const std::int64_t ns = g.end_ns - g.begin_ns;
    lengths.push_back(ns);
    total += ns;
    if (ns >= 5000) {
      ++listed;
      listed_ns += ns;
    }
  }
  CHECK(r.count == static_cast<std::int64_t>(gaps.size()));
  CHECK(stats.total_ns() == total);
  CHECK(r.listed_count == listed);
  CHECK(r.listed_ns == listed_ns);
  const std::int64_t half = exact_half(lengths);
  INFO("half " << r.half_ns << " exact " << half);
  CHECK(std::abs(static_cast<double>(r.half_ns - half)) <= static_cast<double>(half) / 128);

  std::int64_t in_bins = 0, ns_in_bins = 0, before = -1;
  for (const auto& bin : r.histogram) {
    CHECK(bin.from_ns > before);
    CHECK((bin.from_ns & (bin.from_ns - 1)) == 0);
    before = bin.from_ns;
    std::int64_t count = 0, ns = 0;
    for (const std::int64_t l : lengths) {
      if (l < bin.from_ns || l >= 2 * bin.from_ns) continue;
      ++count;
      ns += l;
    }
    CHECK(bin.count == count);
    CHECK(bin.count > 0);
    CHECK(bin.total_ns == ns);
    in_bins += bin.count;
    ns_in_bins += bin.total_ns;
  }
  CHECK(in_bins == r.count);
  CHECK(ns_in_bins == total);

  std::vector<Gap> sorted = gaps;
  std::sort(sorted.begin(), sorted.end(), [](const Gap& a, const Gap& b) {
    const std::int64_t la = a.end_ns - a.begin_ns, lb = b.end_ns - b.begin_ns;
    return la != lb ? la > lb : a.begin_ns < b.begin_ns;
  });
  REQUIRE(r.longest.size() == std::min<std::size_t>(5, sorted.size()));
  for (std::size_t i = 0; i < r.longest.size(); ++i) {
    CHECK(r.longest[i].at_ns == sorted[i].begin_ns - 1000);
    CHECK(r.longest[i].length_ns == sorted[i].end_ns - sorted[i].begin_ns);
    CHECK(r.longest[i].before == "kernel_" + std::to_string(sorted[i].before.name));
    CHECK(r.longest[i].after == "kernel_" + std::to_string(sorted[i].after.name));
    CHECK(r.longest[i].cause == "cause " + std::to_string(sorted[i].cause));
  }
}

}  // namespace

TEST_CASE("no gaps give an empty report", "[gap_stats]") {
  GapStats stats;
  stats.add(gap_of(100, 0));
  stats.add(gap_of(100, -7));
  const report::Gaps r = stats.report(0, names());
  CHECK(r.count == 0);
  CHECK(r.half_ns == 0);
  CHECK(r.longest.empty());
  CHECK(r.histogram.empty());
}

TEST_CASE("the floor belongs to the listed gaps", "[gap_stats]") {
  GapStats stats;
  stats.add(gap_of(0, kListFloorNs - 1));
  stats.add(gap_of(10000, kListFloorNs));
  const report::Gaps r = stats.report(0, names());
  CHECK(r.count == 2);
  CHECK(r.listed_count == 1);
  CHECK(r.listed_ns == 5000);
}

TEST_CASE("statistics equal those of the list of gaps", "[gap_stats]") {
  std::mt19937 random(31);
  for (int round = 0; round < 30; ++round) {
    const auto gaps =
        draw(random, 1 + static_cast<int>(random() % 500), 1.0 + static_cast<double>(random() % 9));
    GapStats stats;
    for (const Gap& g : gaps) stats.add(g);
    check_against_list(stats, gaps);
  }
}

TEST_CASE("half_ns tells two nearly equal clusters apart", "[gap_stats]") {
  // 100 gaps of 1 ms against 100,100 of 1 us: less than half of the time is in the long ones, by
  // 0.05 %, which a bucket's middle as weight could not tell.
  GapStats stats;
  std::int64_t at = 0;
  for (int i = 0; i < 100; ++i) stats.add(gap_of(at += 2000000, 1000000));
  for (int i = 0; i < 100100; ++i) stats.add(gap_of(at += 2000000, 1000));
  CHECK(stats.half_ns() < 1010);
  for (int i = 0; i < 2; ++i) stats.add(gap_of(at += 2000000, 1000000));
  CHECK(stats.half_ns() > 990000);
}

TEST_CASE("merged statistics equal those of all gaps together", "[gap_stats]") {
  std::mt19937 random(32);
  for (int round = 0; round < 20; ++round) {
    const auto gaps = draw(random, 5 + static_cast<int>(random() % 300), 8);
    GapStats parts[3];
    for (const Gap& g : gaps) parts[random() % 3].add(g);
    GapStats merged;
    for (const GapStats& part : parts) merged.merge(part);
    check_against_list(merged, gaps);
  }
}

TEST_CASE("merging with itself counts everything twice", "[gap_stats]") {
  GapStats stats;
  stats.add(gap_of(0, 8000));
  stats.merge(stats);
  CHECK(stats.count() == 2);
  CHECK(stats.total_ns() == 16000);
}

TEST_CASE("operations beside a gap have names, kernels or not", "[gap_stats]") {
  const auto kernel = names().kernel;
  CHECK(operation_name({RecordKind::kernel, CopyDirection::unknown, 7}, kernel) == "kernel_7");
  CHECK(operation_name({RecordKind::copy, CopyDirection::htod, 0}, kernel) == "memcpy HtoD");
  CHECK(operation_name({RecordKind::copy, CopyDirection::dtoh, 0}, kernel) == "memcpy DtoH");
  CHECK(operation_name({RecordKind::copy, CopyDirection::dtod, 0}, kernel) == "memcpy DtoD");
  CHECK(operation_name({RecordKind::copy, CopyDirection::htoh, 0}, kernel) == "memcpy HtoH");
  CHECK(operation_name({RecordKind::copy, CopyDirection::ptop, 0}, kernel) == "memcpy PtoP");
  CHECK(operation_name({RecordKind::copy, CopyDirection::unknown, 0}, kernel) == "memcpy");
  CHECK(operation_name({RecordKind::set, CopyDirection::unknown, 0}, kernel) == "memset");
  CHECK(operation_name({RecordKind::graph, CopyDirection::unknown, 0}, kernel) == "graph");
  CHECK(operation_name({}, kernel).empty());
}

TEST_CASE("a cause can be given later", "[gap_stats]") {
  GapStats stats;
  stats.add(gap_of(100, 9000));
  stats.add(gap_of(20000, 7000));
  stats.set_cause(20000, 42);
  const report::Gaps r = stats.report(0, names());
  REQUIRE(r.longest.size() == 2);
  CHECK(r.longest[0].cause == "cause 2");
  CHECK(r.longest[1].cause == "cause 42");
  CHECK(stats.report(0, {names().kernel, {}}).longest[1].cause.empty());
}

}  // namespace gapscope
