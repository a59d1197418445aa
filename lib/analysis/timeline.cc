#include "analysis/timeline.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/numeric/int128.h"

namespace gapscope {

void Timeline::add_up(Slice& to, const Slice& from) {
  to.busy_ns += from.busy_ns;
  to.compute_ns += from.compute_ns;
  for (std::size_t cause = 0; cause < to.idle_ns.size(); ++cause) {
    to.idle_ns[cause] += from.idle_ns[cause];
  }
}

void Timeline::halve() {
  const std::size_t n = fine_.size();
  for (std::size_t i = 0; i < n; i += 2) {
    Slice sum = fine_[i];
    if (i + 1 < n) add_up(sum, fine_[i + 1]);
    fine_[i / 2] = sum;
  }
  fine_.resize((n + 1) / 2);
  ++shift_;
}

// Makes slices for all of [begin_ns, end_ns).
void Timeline::cover(std::int64_t begin_ns, std::int64_t end_ns) {
  if (fine_.empty()) {
    fine_.reserve(kFine);
    origin_ns_ = begin_ns;
  }
  while (true) {
    const std::uint64_t missing = begin_ns >= origin_ns_ ? 0
                                                         : static_cast<std::uint64_t>(origin_ns_) -
                                                               static_cast<std::uint64_t>(begin_ns);
    const std::int64_t before =
        missing == 0 ? 0 : static_cast<std::int64_t>((missing - 1) >> shift_) + 1;
    const std::int64_t size = static_cast<std::int64_t>(fine_.size());
    const std::int64_t after = end_ns <= origin_ns_ ? size : index(end_ns - 1) + 1;
    // Compared one by one: with 1 ns slices their sum may not fit.
    if (before <= kFine && after <= kFine && before + std::max(size, after) <= kFine) {
      fine_.insert(fine_.begin(), static_cast<std::size_t>(before), Slice{});
      // May end below 0, by less than one slice.
      origin_ns_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(origin_ns_) -
                                             (static_cast<std::uint64_t>(before) << shift_));
      if (after > size) fine_.resize(static_cast<std::size_t>(before + after));
      return;
    }
    halve();
  }
}

// Where both limits can be told: a slice at either end of time has none.
void Timeline::set_current(std::int64_t i) {
  const absl::int128 begin_ns = absl::int128(origin_ns_) + (absl::int128(i) << shift_);
  const absl::int128 end_ns = begin_ns + (absl::int128(1) << shift_);
  constexpr absl::int128 kMax = std::numeric_limits<std::int64_t>::max();
  current_ = static_cast<std::size_t>(i);
  current_begin_ns_ = current_end_ns_ = 0;
  if (begin_ns < 0 || end_ns > kMax) return;
  current_begin_ns_ = static_cast<std::int64_t>(begin_ns);
  current_end_ns_ = static_cast<std::int64_t>(end_ns);
}

void Timeline::add_idle(std::int64_t begin_ns, std::int64_t end_ns, const CauseSlices& causes) {
  std::int64_t at_ns = begin_ns;
  for (const CauseSlice& slice : causes) {
    const std::int64_t ns = std::min(slice.ns, end_ns - at_ns);
    if (ns <= 0) continue;
    if (at_ns >= current_begin_ns_ && at_ns + ns <= current_end_ns_) {
      credit(fine_[current_], TimeKind::idle, slice.cause, ns);
    } else {
      add_anywhere(at_ns, at_ns + ns, TimeKind::idle, slice.cause);
    }
    at_ns += ns;
  }
  if (at_ns < end_ns) add(at_ns, end_ns, TimeKind::idle);
}

void Timeline::add_anywhere(std::int64_t begin_ns, std::int64_t end_ns, TimeKind kind,
                            Cause cause) {
  if (end_ns <= begin_ns || begin_ns < 0) return;
  if (begin_ns < origin_ns_ || fine_.empty() ||
      index(end_ns - 1) >= static_cast<std::int64_t>(fine_.size())) {
    cover(begin_ns, end_ns);
  }
  std::int64_t at = begin_ns;
  for (std::int64_t i = index(begin_ns); at < end_ns; ++i) {
    // To the end of slice i, without forming that end: it may not fit.
    const std::uint64_t width = std::uint64_t{1} << shift_;
    const std::int64_t left = static_cast<std::int64_t>(width - (offset(at) & (width - 1)));
    const std::int64_t take = std::min(left, end_ns - at);
    credit(fine_[static_cast<std::size_t>(i)], kind, cause, take);
    at += take;
  }
  set_current(index(end_ns - 1));
}

Timeline::Result Timeline::finish(std::int64_t begin_ns, std::int64_t end_ns) const {
  Result result;
  if (fine_.empty() || end_ns <= begin_ns) return result;
  const std::int64_t size = static_cast<std::int64_t>(fine_.size());
  const std::int64_t first = begin_ns <= origin_ns_ ? 0 : std::min(index(begin_ns), size - 1);
  const std::int64_t last =
      end_ns - 1 <= origin_ns_ ? first : std::clamp(index(end_ns - 1), first, size - 1);
  const std::int64_t group = (last - first + kMaxSlices) / kMaxSlices;
  result.slice_ns = group << shift_;
  std::vector<Slice> sums(static_cast<std::size_t>((last - first) / group + 1));
  for (std::int64_t i = 0; i < size; ++i) {
    add_up(sums[static_cast<std::size_t>((std::clamp(i, first, last) - first) / group)],
           fine_[static_cast<std::size_t>(i)]);
  }
  for (const Slice& sum : sums) {
    const std::int64_t idle_ns =
        std::accumulate(sum.idle_ns.begin(), sum.idle_ns.end(), std::int64_t{0});
    result.slices.push_back({sum.busy_ns, sum.compute_ns, idle_ns});
    result.idle_ns.push_back(sum.idle_ns);
  }
  return result;
}

}  // namespace gapscope
