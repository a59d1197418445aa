#include "sink/figures.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include "catch.h"

namespace gapscope {
namespace {

using namespace sink;

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST_CASE("numbers carry thousands separators") {
  CHECK(count(0) == "0");
  CHECK(count(999) == "999");
  CHECK(count(1000) == "1,000");
  CHECK(count(-1234567) == "-1,234,567");
  CHECK(count(std::numeric_limits<std::int64_t>::min()) == "-9,223,372,036,854,775,808");
  CHECK(fixed(1234.567, 2) == "1,234.57");
  CHECK(fixed(-0.001, 1) == "0.0");
  CHECK(fixed(std::nan(""), 1) == "-");
  CHECK(scaled_fixed(123456, 1) == "12,345.6");
}

TEST_CASE("durations take the unit that suits them") {
  CHECK(duration(0) == "0 ns");
  CHECK(duration(999) == "999 ns");
  CHECK(duration(999.6) == "1.0 us");
  CHECK(duration(3'240) == "3.2 us");
  CHECK(duration(430'240) == "430 us");
  CHECK(duration(999'960) == "1.0 ms");
  CHECK(duration(12'400'000) == "12.4 ms");
  CHECK(duration(999'960'000) == "1.00 s");
  CHECK(duration(62'400'000'000) == "62.40 s");
  CHECK(duration(7'200e9) == "7,200.0 s");
  CHECK(duration(-12'400'000) == "-12.4 ms");
}

TEST_CASE("bytes are decimal") {
  CHECK(bytes(512) == "512 B");
  CHECK(bytes(5'552) == "5.55 kB");
  CHECK(bytes(91'000'000) == "91.0 MB");
  CHECK(bytes(6'820'000'000) == "6.82 GB");
  CHECK(bytes(999'700) == "1.00 MB");
}

TEST_CASE("a percentage has a denominator or is not shown") {
  CHECK(percent(1, 3) == "33.3 %");
  CHECK(percent(1, 0) == "-");
  CHECK(percent(1, -1) == "-");
  CHECK(percent(1, std::nan("")) == "-");
  CHECK(percent(1, 8, 0) == "13 %");
}

TEST_CASE("percentages of a column add up to 100.0") {
  CHECK(percent_tenths({1, 1, 1}) == std::vector<std::int64_t>{334, 333, 333});
  CHECK(percent_tenths({0, 0}) == std::vector<std::int64_t>{0, 0});
  CHECK(percent_tenths({}).empty());
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> parts(1 + random() % 12);
    for (double& part : parts) part = static_cast<double>(random() >> (random() % 64));
    const std::vector<std::int64_t> tenths = percent_tenths(parts);
    const double whole = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (whole <= 0) continue;
    REQUIRE(sum(tenths) == 1000);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      REQUIRE(std::fabs(static_cast<double>(tenths[i]) - parts[i] / whole * 1000) < 1.001);
    }
  }
}

TEST_CASE("columns of time add up to their rounded total") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> parts(1 + random() % 12);
    for (double& part : parts) part = static_cast<double>(random() % 40'000'000'000) / 1e9;
    const double total = std::accumulate(parts.begin(), parts.end(), 0.0);
    const std::vector<std::int64_t> rounded = apportion(parts, total, 2);
    REQUIRE(sum(rounded) == std::llround(total * 100));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      REQUIRE(std::fabs(static_cast<double>(rounded[i]) - parts[i] * 100) < 1.001);
    }
  }
}

TEST_CASE("numbers that no run can have do no harm") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(sum(percent_tenths({infinite, -5, std::nan(""), 3})) == 1000);
  CHECK(apportion({1e300, 1}, 1e300, 2).size() == 2);
  CHECK(apportion({-1e18, 9.3e18}, 9.3e18, 2)[0] == 0);
  CHECK(sum(percent_tenths({9.2e18, 9.2e18, 1})) == 1000);
  CHECK_FALSE(duration(infinite).empty());
  CHECK_FALSE(bytes(1e30).empty());
}

}  // namespace
}  // namespace gapscope
