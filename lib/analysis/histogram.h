// A bounded histogram of durations in nanoseconds, 0 to 2^63-1.
//
// Buckets are log-linear: values below 128 have a bucket each, above that every power of two is cut
// into 64 equal buckets. A percentile is the middle of its bucket, hence off by at most 1/128 =
// 0.78 % of its value; count, total, min and max are exact, the standard deviation too (see
// distribution()). Counters live in pages of 16 buckets (a quarter of a power of two) that are made
// when a value first falls into them, so a kernel whose times stay within 20 % needs one or two
// pages of 128 bytes, and an outlier costs one page, not the range up to it. No histogram has more
// than 232 pages (30 KB).
//
// Thread-safety: none, one owner. add() allocates only when it makes a page.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "report/report.h"

namespace gapscope {

// The bucket scheme, shared by everything in analysis/ that answers "to 1 %".
struct LogBuckets {
  static constexpr int kSubBits = 6;  // 64 buckets a power of two
  static constexpr std::uint32_t kCount = (63 - kSubBits + 1) << kSubBits;

  static constexpr std::uint32_t index(std::uint64_t value) {
    if (value < (1u << kSubBits)) return static_cast<std::uint32_t>(value);
    const int shift = std::bit_width(value) - 1 - kSubBits;
    return (static_cast<std::uint32_t>(shift) << kSubBits) +
           static_cast<std::uint32_t>(value >> shift);
  }
  static constexpr std::uint64_t lower(std::uint32_t index) {
    if (index < (1u << kSubBits)) return index;
    const std::uint32_t shift = (index >> kSubBits) - 1;
    return static_cast<std::uint64_t>((index & ((1u << kSubBits) - 1)) + (1u << kSubBits)) << shift;
  }
  static constexpr std::uint64_t width(std::uint32_t index) {
    return index < (2u << kSubBits) ? 1 : std::uint64_t{1} << ((index >> kSubBits) - 1);
  }
  // The value that stands for every value of the bucket.
  static constexpr std::uint64_t middle(std::uint32_t index) {
    return lower(index) + (width(index) - 1) / 2;
  }
};

class Histogram {
 public:
  // Negative durations count as 0.
  void add(std::int64_t ns) {
    const std::uint64_t value = ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
    ++counter(LogBuckets::index(value));
    ++count_;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    total_ += value;
    squares_ += absl::uint128(value) * value;
  }

  void merge(const Histogram& other);

  std::int64_t count() const { return static_cast<std::int64_t>(count_); }
  std::int64_t total_ns() const;  // saturates at 2^63-1
  std::int64_t min_ns() const { return count_ == 0 ? 0 : static_cast<std::int64_t>(min_); }
  std::int64_t max_ns() const { return static_cast<std::int64_t>(max_); }
  // Nearest rank: the smallest value with at least fraction * count values at or below it, to
  // 0.78 %. 0 when empty. fraction is clamped to [0, 1].
  std::int64_t percentile_ns(double fraction) const;
  // Of the population. Exact up to the final rounding while count * (max - min)^2 < 2^127, for
  // example 10^9 values that differ by less than 100 hours; else from the buckets, to about 1 %.
  double stddev_ns() const;

  report::Distribution distribution() const;

  // What this histogram occupies, itself included.
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kPageBits = 4;
  static constexpr std::uint32_t kPageSize = 1u << kPageBits;
  static constexpr std::uint8_t kNoPage = 0xff;
  static constexpr std::size_t kInlineSlots = 16;  // a range of 1 to 16
  static_assert(LogBuckets::kCount / kPageSize < kNoPage);
  using Page = std::array<std::uint64_t, kPageSize>;

  std::uint64_t& counter(std::uint32_t bucket) {
    // Unsigned: a page below first_page_ wraps round to a large offset.
    const std::uint32_t offset = (bucket >> kPageBits) - first_page_;
    if (offset < slots_.size() && slots_[offset] != kNoPage) {
      return pages_[slots_[offset]][bucket & (kPageSize - 1)];
    }
    return make_page(bucket >> kPageBits)[bucket & (kPageSize - 1)];
  }
  Page& make_page(std::uint32_t page);
  // Calls f(bucket, count) for each bucket that holds something, in ascending order, until f
  // returns false.
  template <typename F>
  void for_each(F&& f) const;
  double stddev_from_buckets() const;

  std::uint64_t count_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
  absl::uint128 total_ = 0;
  absl::uint128 squares_ = 0;  // modulo 2^128: see stddev_ns()
  std::uint32_t first_page_ = 0;
  absl::InlinedVector<std::uint8_t, kInlineSlots>
      slots_;  // index into pages_ of page first_page_ + i
  std::vector<Page> pages_;
};

}  // namespace gapscope
