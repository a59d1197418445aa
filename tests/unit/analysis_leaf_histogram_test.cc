// Histogram against exact percentiles over several distributions; sums, merge, memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "analysis/histogram.h"
#include "catch.h"

namespace gapscope {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::int64_t exact_percentile(std::vector<std::int64_t> values, double fraction) {
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

double exact_stddev(const std::vector<std::int64_t>& values) {
  long double mean = 0;
  for (const std::int64_t v : values) mean += static_cast<long double>(v);
  mean /= static_cast<long double>(values.size());
  long double squared = 0;
  for (const std::int64_t v : values) {
    const long double d = static_cast<long double>(v) - mean;
    squared += d * d;
  }
  return static_cast<double>(std::sqrt(squared / static_cast<long double>(values.size())));
}

Histogram filled(const std::vector<std::int64_t>& values) {
  Histogram h;
  for (const std::int64_t v : values) h.add(v);
  return h;
}

void check_within_one_percent(std::int64_t got, std::int64_t want) {
  INFO("got " << got << ", exact " << want);
  const double error = std::abs(static_cast<double>(got) - static_cast<double>(want)) /
                       std::max<double>(1.0, static_cast<double>(want));
  CHECK(error <= 1.0 / 128);
}

void check_against_exact(const std::vector<std::int64_t>& values) {
  const report::Distribution d = filled(values).distribution();
  std::int64_t total = 0;
  for (const std::int64_t v : values) total += v;
  CHECK(d.count == static_cast<std::int64_t>(values.size()));
  CHECK(d.total_ns == total);
  CHECK(d.min_ns == *std::min_element(values.begin(), values.end()));
  CHECK(d.max_ns == *std::max_element(values.begin(), values.end()));
  check_within_one_percent(d.p50_ns, exact_percentile(values, 0.50));
  check_within_one_percent(d.p90_ns, exact_percentile(values, 0.90));
  check_within_one_percent(d.p99_ns, exact_percentile(values, 0.99));
  const double stddev = exact_stddev(values);
  CHECK(std::abs(d.stddev_ns - stddev) <= 1e-9 * stddev + 1e-6);
  const Histogram h = filled(values);
  for (const double fraction : {0.0, 0.001, 0.01, 0.25, 0.333, 0.75, 0.999, 1.0}) {
    check_within_one_percent(h.percentile_ns(fraction), exact_percentile(values, fraction));
  }
}

std::vector<std::int64_t> draw(std::size_t n, std::uint32_t seed,
                               const std::function<double(std::mt19937&)>& f) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> values(n);
  for (std::int64_t& v : values) v = static_cast<std::int64_t>(std::max(0.0, f(random)));
  return values;
}

}  // namespace

TEST_CASE("every value falls into a bucket that holds it", "[histogram]") {
  std::vector<std::uint64_t> values = {0, 1, 63, 64, 65, 127, 128, 129, 130, 255, 256, 257};
  for (int bit = 8; bit < 63; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t v : {power - 1, power, power + 1, power + power / 3})
      values.push_back(v);
  }
  values.push_back(static_cast<std::uint64_t>(kMax));
  for (const std::uint64_t v : values) {
    const std::uint32_t i = LogBuckets::index(v);
    INFO("value " << v << " bucket " << i);
    REQUIRE(i < LogBuckets::kCount);
    CHECK(LogBuckets::lower(i) <= v);
    CHECK(v - LogBuckets::lower(i) < LogBuckets::width(i));
    CHECK(LogBuckets::index(LogBuckets::lower(i)) == i);
    CHECK(LogBuckets::index(LogBuckets::lower(i) + LogBuckets::width(i) - 1) == i);
    const std::uint64_t middle = LogBuckets::middle(i);
    const std::uint64_t off = middle > v ? middle - v : v - middle;
    CHECK(static_cast<double>(off) <= static_cast<double>(v) / 128);
  }
  for (std::uint32_t i = 1; i < LogBuckets::kCount; ++i) {
    REQUIRE(LogBuckets::lower(i) == LogBuckets::lower(i - 1) + LogBuckets::width(i - 1));
  }
}

TEST_CASE("percentiles are within 1 % of the exact ones", "[histogram]") {
  using R = std::mt19937;
  SECTION("constant") { check_against_exact(std::vector<std::int64_t>(1000, 123457)); }
  SECTION("one value") { check_against_exact({987654321}); }
  SECTION("two values") { check_against_exact({3, 1000003}); }
  SECTION("small integers") {
    check_against_exact(draw(5000, 1, [](R& r) { return static_cast<double>(r() % 200); }));
  }
  SECTION("uniform") {
    check_against_exact(
        draw(20000, 2, [](R& r) { return std::uniform_real_distribution<double>(1e3, 1e6)(r); }));
  }
  SECTION("normal, narrow") {
    check_against_exact(
        draw(20000, 3, [](R& r) { return std::normal_distribution<double>(2.5e6, 2e3)(r); }));
  }
  SECTION("log-normal") {
    check_against_exact(
        draw(20000, 4, [](R& r) { return std::lognormal_distribution<double>(10, 2)(r); }));
  }
  SECTION("heavy tail over twelve decades") {
    check_against_exact(draw(20000, 5, [](R& r) {
      return std::pow(10.0, std::uniform_real_distribution<double>(0, 12)(r));
    }));
  }
  SECTION("two clusters, a slow first call") {
    std::vector<std::int64_t> values = draw(20000, 6, [](R& r) {
      return (r() % 10 == 0 ? 9e5 : 4e3) + std::uniform_real_distribution<double>(0, 50)(r);
    });
    values.insert(values.begin(), 4000000000);
    check_against_exact(values);
  }
  SECTION("exponential") {
    check_against_exact(
        draw(20000, 7, [](R& r) { return std::exponential_distribution<double>(1e-4)(r); }));
  }
}

TEST_CASE("an empty histogram is all zeros", "[histogram]") {
  const report::Distribution d = Histogram().distribution();
  CHECK(d.count == 0);
  CHECK(d.total_ns == 0);
  CHECK(d.min_ns == 0);
  CHECK(d.max_ns == 0);
  CHECK(d.p50_ns == 0);
  CHECK(d.p99_ns == 0);
  CHECK(d.stddev_ns == 0);
}

TEST_CASE("the ends of the range", "[histogram]") {
  Histogram h;
  h.add(-5);
  h.add(0);
  h.add(kMax);
  h.add(kMax);
  CHECK(h.count() == 4);
  CHECK(h.min_ns() == 0);
  CHECK(h.max_ns() == kMax);
  CHECK(h.total_ns() == kMax);  // saturated, not wrapped
  CHECK(h.percentile_ns(0.5) == 0);
  check_within_one_percent(h.percentile_ns(0.75), kMax);
  CHECK(h.percentile_ns(-1) == 0);
  CHECK(h.percentile_ns(2) == kMax);
  CHECK(h.percentile_ns(std::nan("")) == 0);
  // Half at 0, half at 2^63-1: the deviation is half the range, here from the buckets.
  CHECK(std::abs(h.stddev_ns() / (static_cast<double>(kMax) / 2) - 1) < 0.01);
}

TEST_CASE("the standard deviation does not suffer from large means", "[histogram]") {
  // 2^40 ns apart from zero, 3 ns apart from each other: squares exceed a double's precision and,
  // summed, 2^64.
  std::vector<std::int64_t> values;
  for (int i = 0; i < 10000; ++i) values.push_back((std::int64_t{1} << 40) + (i % 3));
  CHECK(std::abs(filled(values).stddev_ns() - exact_stddev(values)) < 1e-9);
  // Near 2^62 the sum of squares itself wraps at 2^128.
  for (std::int64_t& v : values) v += std::int64_t{1} << 62;
  CHECK(std::abs(filled(values).stddev_ns() - std::sqrt(2.0 / 3.0)) < 1e-4);
}

TEST_CASE("merging equals adding everything to one", "[histogram]") {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    Histogram all, merged;
    for (int part = 0; part < 4; ++part) {
      Histogram h;
      const int n = static_cast<int>(random() % 300);
      for (int i = 0; i < n; ++i) {
        const std::int64_t v = static_cast<std::int64_t>(
            std::pow(2.0, std::uniform_real_distribution<double>(0, 45)(random)));
        h.add(v);
        all.add(v);
      }
      merged.merge(h);
    }
    const report::Distribution a = all.distribution(), m = merged.distribution();
    CHECK(a.count == m.count);
    CHECK(a.total_ns == m.total_ns);
    CHECK(a.min_ns == m.min_ns);
    CHECK(a.max_ns == m.max_ns);
    CHECK(a.p50_ns == m.p50_ns);
    CHECK(a.p90_ns == m.p90_ns);
    CHECK(a.p99_ns == m.p99_ns);
    CHECK(a.stddev_ns == m.stddev_ns);
  }
}

TEST_CASE("merging with itself doubles, with nothing changes nothing", "[histogram]") {
  Histogram h = filled({5, 70, 9000});
  h.merge(Histogram());
  CHECK(h.count() == 3);
  h.merge(h);
  CHECK(h.count() == 6);
  CHECK(h.total_ns() == 2 * 9075);
  CHECK(h.percentile_ns(0.5) == 70);
}

TEST_CASE("memory stays small and bounded", "[histogram]") {
  CHECK(Histogram().memory_bytes() == sizeof(Histogram));
  std::mt19937 random(12);
  Histogram typical;  // a kernel of about 37 us, 3 % jitter, one slow first call
  typical.add(2100000);
  for (int i = 0; i < 100000; ++i) {
    typical.add(static_cast<std::int64_t>(std::normal_distribution<double>(37000, 1100)(random)));
  }
  WARN("bytes: empty " << sizeof(Histogram) << ", typical kernel " << typical.memory_bytes());
  CHECK(typical.memory_bytes() <= 1024);

  Histogram widest;
  for (int i = 0; i < 200000; ++i) {
    widest.add(static_cast<std::int64_t>(
        std::pow(2.0, std::uniform_real_distribution<double>(0, 62.99)(random))));
  }
  const std::size_t bytes = widest.memory_bytes();
  CHECK(bytes <= 40000);
  for (int i = 0; i < 200000; ++i) widest.add(static_cast<std::int64_t>(random()) << 20);
  CHECK(widest.memory_bytes() <= 40000);
}

}  // namespace gapscope
