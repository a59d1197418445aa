#include "sink/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fmt/format.h"

namespace gapscope::sink {
namespace {

// Puts commas into the leading digits of a plain number.
std::string grouped(std::string digits) {
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  std::size_t end = digits.find('.');
  if (end == std::string::npos) end = digits.size();
  for (std::size_t at = end; at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

double usable(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

}  // namespace

std::string count(std::int64_t value) { return grouped(fmt::format("{}", value)); }

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  const double scale = std::pow(10.0, decimals);
  const double rounded = std::round(value * scale) / scale;
  return grouped(fmt::format("{:.{}f}", rounded == 0 ? 0.0 : rounded, decimals));
}

std::string scaled_fixed(std::int64_t scaled, int decimals) {
  return fixed(static_cast<double>(scaled) / std::pow(10.0, decimals), decimals);
}

std::string duration(double ns) {
  const double size = std::fabs(ns);
  if (size >= 99.95e9) return fixed(ns / 1e9, 1) + " s";
  if (size >= 0.9995e9) return fixed(ns / 1e9, 2) + " s";
  if (size >= 0.9995e6) return fixed(ns / 1e6, size >= 99.95e6 ? 0 : 1) + " ms";
  if (size >= 0.9995e3) return fixed(ns / 1e3, size >= 99.95e3 ? 0 : 1) + " us";
  return fixed(ns, 0) + " ns";
}

std::string bytes(double value) {
  static constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}",
                     fixed(value, unit == 0 || value >= 99.95 ? 0
                                  : value < 9.995             ? 2
                                                              : 1),
                     kUnits[unit]);
}

// Bytes per nanosecond are GB/s.
std::string rate(double size_bytes, double ns) {
  if (!(ns > 0)) return "-";
  return size_bytes > 0 && size_bytes / ns < 0.05 ? "<0.1" : fixed(size_bytes / ns, 1);
}

Unit unit_for(double largest_ns) {
  if (largest_ns >= 0.9995e9) return {1e9, "s"};
  if (largest_ns >= 0.9995e6) return {1e6, "ms"};
  return {1e3, "us"};
}

std::vector<std::int64_t> apportion(const std::vector<double>& parts, double total, int decimals) {
  const double scale = std::pow(10.0, decimals);
  std::vector<std::int64_t> rounded(parts.size(), 0);
  std::vector<double> rest(parts.size(), 0);
  // Far beyond what a 64-bit clock can hold; keeps the conversion defined for hostile numbers.
  constexpr double kLimit = 1e17;
  std::int64_t missing = std::llround(std::min(usable(total) * scale, kLimit));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact = std::min(usable(parts[i]) * scale, kLimit);
    rounded[i] = static_cast<std::int64_t>(std::floor(exact));
    rest[i] = exact - std::floor(exact);
    missing -= rounded[i];
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  // At most one unit for each part; parts that do not add up to total stay as they are.
  for (std::size_t i = 0; i < order.size() && missing > 0; ++i) {
    if (rest[order[i]] <= 0) break;
    ++rounded[order[i]];
    --missing;
  }
  return rounded;
}

std::vector<std::int64_t> percent_tenths(const std::vector<double>& parts) {
  double sum = 0;
  for (const double part : parts) sum += usable(part);
  if (sum <= 0) return std::vector<std::int64_t>(parts.size(), 0);
  std::vector<double> shares;
  shares.reserve(parts.size());
  for (const double part : parts) shares.push_back(usable(part) / sum * 100);
  std::vector<std::int64_t> tenths = apportion(shares, 100, 1);
  // Rounding of the divisions may leave one part in 10^15 missing: the largest part takes it.
  const std::int64_t given = std::accumulate(tenths.begin(), tenths.end(), std::int64_t{0});
  const auto largest = std::max_element(shares.begin(), shares.end()) - shares.begin();
  tenths[static_cast<std::size_t>(largest)] += 1000 - given;
  return tenths;
}

std::string percent(double part, double whole, int decimals) {
  if (!(whole > 0)) return "-";
  return fixed(part / whole * 100, decimals) + " %";
}

}  // namespace gapscope::sink
