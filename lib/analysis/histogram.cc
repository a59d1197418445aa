#include "analysis/histogram.h"

#include <cmath>

namespace gapscope {

Histogram::Page& Histogram::make_page(std::uint32_t page) {
  if (slots_.empty()) {
    first_page_ = page;
  } else if (page < first_page_) {
    slots_.insert(slots_.begin(), first_page_ - page, kNoPage);
    first_page_ = page;
  }
  if (page - first_page_ >= slots_.size()) slots_.resize(page - first_page_ + 1, kNoPage);
  // Doubling would waste most of what a typical kernel needs; a quarter keeps growth cheap enough.
  if (pages_.size() == pages_.capacity()) pages_.reserve(pages_.size() + 1 + pages_.size() / 4);
  slots_[page - first_page_] = static_cast<std::uint8_t>(pages_.size());
  return pages_.emplace_back(Page{});
}

template <typename F>
void Histogram::for_each(F&& f) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] == kNoPage) continue;
    const Page& page = pages_[slots_[i]];
    const std::uint32_t first = (first_page_ + static_cast<std::uint32_t>(i)) << kPageBits;
    for (std::uint32_t j = 0; j < kPageSize; ++j) {
      if (page[j] != 0 && !f(first + j, page[j])) return;
    }
  }
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  if (&other == this) {
    const Histogram copy = other;
    merge(copy);
    return;
  }
  other.for_each([this](std::uint32_t bucket, std::uint64_t n) {
    counter(bucket) += n;
    return true;
  });
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  total_ += other.total_;
  squares_ += other.squares_;
}

std::int64_t Histogram::total_ns() const {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return total_ > absl::uint128(static_cast<std::uint64_t>(kMax))
             ? kMax
             : static_cast<std::int64_t>(absl::Uint128Low64(total_));
}

std::int64_t Histogram::percentile_ns(double fraction) const {
  if (count_ == 0) return 0;
  // Written so that NaN ends up at the minimum.
  const double clamped = fraction > 0 ? std::min(fraction, 1.0) : 0.0;
  const double wanted = std::ceil(clamped * static_cast<double>(count_));
  const std::uint64_t rank = wanted >= static_cast<double>(count_)
                                 ? count_
                                 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  if (rank == 1) return min_ns();
  if (rank == count_) return max_ns();
  std::uint64_t seen = 0;
  std::uint64_t value = max_;
  for_each([&](std::uint32_t bucket, std::uint64_t n) {
    seen += n;
    if (seen < rank) return true;
    value = LogBuckets::middle(bucket);
    return false;
  });
  return static_cast<std::int64_t>(std::clamp(value, min_, max_));
}

double Histogram::stddev_ns() const {
  if (count_ < 2 || min_ == max_) return 0;
  const double spread = static_cast<double>(max_ - min_);
  if (static_cast<double>(count_) * spread * spread >= 0x1p127) return stddev_from_buckets();
  // With m the mean rounded down: sum (x-m)^2 = sum x^2 - 2 m sum x + n m^2. Integers modulo 2^128
  // give it without any cancellation error, although each term may have overflowed, because the
  // result itself is below 2^127.
  const absl::uint128 mean = total_ / count_;
  const absl::uint128 squared = squares_ - 2 * mean * total_ + absl::uint128(count_) * mean * mean;
  const double n = static_cast<double>(count_);
  const double rest = static_cast<double>(total_ - mean * count_) / n;  // mean - m, in [0, 1)
  return std::sqrt(std::max(0.0, static_cast<double>(squared) / n - rest * rest));
}

double Histogram::stddev_from_buckets() const {
  const double n = static_cast<double>(count_);
  const double mean = static_cast<double>(total_) / n;
  double squared = 0;
  for_each([&](std::uint32_t bucket, std::uint64_t times) {
    const double value =
        static_cast<double>(std::clamp(LogBuckets::middle(bucket), min_, max_)) - mean;
    squared += value * value * static_cast<double>(times);
    return true;
  });
  return std::sqrt(squared / n);
}

report::Distribution Histogram::distribution() const {
  report::Distribution d;
  d.count = count();
  d.total_ns = total_ns();
  d.min_ns = min_ns();
  d.max_ns = max_ns();
  d.p50_ns = percentile_ns(0.50);
  d.p90_ns = percentile_ns(0.90);
  d.p99_ns = percentile_ns(0.99);
  d.stddev_ns = stddev_ns();
  return d;
}

std::size_t Histogram::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) +
         (slots_.capacity() > kInlineSlots ? slots_.capacity() : 0);
}

}  // namespace gapscope
