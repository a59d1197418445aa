// Sorts entries by their start_ns in time that grows with their number alone.
//
// Radix sort from the lowest digit up, over the bits in which the starts differ: what one flush
// delivers differs in 28 bits, so three passes over it, however badly it is out of order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gapscope {

// Stable. Entry has a start_ns; scratch is room that the caller keeps for the next time.
template <typename Entry>
void sort_by_start(std::vector<Entry>& entries, std::vector<Entry>& scratch) {
  constexpr int kMaxDigitBits = 11;  // counters that fit into the first-level cache
  constexpr std::size_t kWorthIt = 512;
  const auto earlier = [](const Entry& a, const Entry& b) { return a.start_ns < b.start_ns; };
  if (entries.size() < kWorthIt) {
    std::stable_sort(entries.begin(), entries.end(), earlier);
    return;
  }
  const auto [first, last] = std::minmax_element(entries.begin(), entries.end(), earlier);
  // Unsigned: the difference of two starts may not fit into 63 bits.
  const auto low = static_cast<std::uint64_t>(first->start_ns);
  const int bits =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(last->start_ns) - low));
  const int passes = (bits + kMaxDigitBits - 1) / kMaxDigitBits;
  if (passes == 0) return;
  const int digit_bits = (bits + passes - 1) / passes;
  const std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;
  scratch.resize(entries.size());
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = pass * digit_bits;
    const auto digit = [&](const Entry& e) {
      return static_cast<std::size_t>(((static_cast<std::uint64_t>(e.start_ns) - low) >> shift) &
                                      digit_mask);
    };
    std::uint32_t places[(1u << kMaxDigitBits) + 1] = {};
    for (const Entry& e : entries) ++places[digit(e) + 1];
    for (std::size_t i = 1; i <= digit_mask; ++i) places[i] += places[i - 1];
    for (const Entry& e : entries) scratch[places[digit(e)]++] = e;
    entries.swap(scratch);
  }
}

}  // namespace gapscope
