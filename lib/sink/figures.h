// Numbers as a person reads them: scaled units, thousands separators, columns that add up.
//
// Everything takes doubles or 64-bit integers of any value: a report may be hostile, and sums of
// its integers could overflow. A double is exact up to 2^53 ns, 104 days.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gapscope::sink {

// "1,234,567"
std::string count(std::int64_t value);
// "1,234.50" for decimals = 2. Rounds half away from zero; never prints "-0".
std::string fixed(double value, int decimals);
// Integer in units of 10^-decimals: scaled_fixed(12345, 2) is "123.45". What apportion() returns.
std::string scaled_fixed(std::int64_t scaled, int decimals);

// Durations with the unit that suits them: "62.40 s", "12.4 ms", "3.2 us", "480 ns".
std::string duration(double ns);
// Decimal: "6.82 GB", "512 B".
std::string bytes(double value);

// Gigabytes (decimal) per second: "4.1", "<0.1", "-" without a time.
std::string rate(double size_bytes, double ns);

// One unit for a whole column, chosen by its largest entry.
struct Unit {
  double ns;
  const char* name;  // "s", "ms", "us"
};
Unit unit_for(double largest_ns);

// Rounds parts to 10^-decimals such that they add up to the rounded total exactly (largest
// remainder). The result is in units of 10^-decimals. Negative and non-finite parts count as 0.
std::vector<std::int64_t> apportion(const std::vector<double>& parts, double total, int decimals);
// The same for percentages: parts of their own sum, in tenths of a percent, 1000 in all; all 0 when
// the sum is 0, which callers show as "-".
std::vector<std::int64_t> percent_tenths(const std::vector<double>& parts);

// "12.3 %" of whole, "-" when whole is not positive.
std::string percent(double part, double whole, int decimals = 1);

}  // namespace gapscope::sink
