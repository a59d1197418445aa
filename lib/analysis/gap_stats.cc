#include "analysis/gap_stats.h"

#include <algorithm>
#include <bit>

#include "analysis/histogram.h"

namespace gapscope {
namespace {

const char* direction_name(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::htod:
      return "memcpy HtoD";
    case CopyDirection::dtoh:
      return "memcpy DtoH";
    case CopyDirection::dtod:
      return "memcpy DtoD";
    case CopyDirection::htoh:
      return "memcpy HtoH";
    case CopyDirection::ptop:
      return "memcpy PtoP";
    case CopyDirection::unknown:
      break;
  }
  return "memcpy";
}

std::int64_t length(const Gap& gap) { return gap.end_ns - gap.begin_ns; }

bool longer(const Gap& a, const Gap& b) {
  if (length(a) != length(b)) return length(a) > length(b);
  return a.begin_ns < b.begin_ns;
}

}  // namespace

std::string operation_name(const OperationRef& operation,
                           const std::function<std::string(std::uint32_t)>& kernel_name) {
  switch (operation.kind) {
    case RecordKind::kernel:
      return kernel_name ? kernel_name(operation.name) : std::string("kernel");
    case RecordKind::copy:
      return direction_name(operation.direction);
    case RecordKind::set:
      return "memset";
    case RecordKind::graph:
      return "graph";
    default:
      return {};
  }
}

void GapStats::keep(const Gap& gap) {
  if (longest_.size() == kLongest && !longer(gap, longest_.back())) return;
  longest_.insert(std::upper_bound(longest_.begin(), longest_.end(), gap, longer), gap);
  if (longest_.size() > kLongest) longest_.pop_back();
}

void GapStats::add_length(std::int64_t ns) {
  const std::uint32_t bucket = LogBuckets::index(static_cast<std::uint64_t>(ns));
  if (bucket >= bins_.size()) bins_.resize(bucket + 1);
  ++bins_[bucket].count;
  bins_[bucket].total_ns += ns;
  ++count_;
  total_ns_ += ns;
  if (ns >= kListFloorNs) {
    ++listed_count_;
    listed_ns_ += ns;
  }
}

void GapStats::merge(const GapStats& other) {
  if (&other == this) {
    const GapStats copy = other;
    merge(copy);
    return;
  }
  if (other.bins_.size() > bins_.size()) bins_.resize(other.bins_.size());
  for (std::size_t i = 0; i < other.bins_.size(); ++i) {
    bins_[i].count += other.bins_[i].count;
    bins_[i].total_ns += other.bins_[i].total_ns;
  }
  count_ += other.count_;
  total_ns_ += other.total_ns_;
  listed_count_ += other.listed_count_;
  listed_ns_ += other.listed_ns_;
  for (const Gap& gap : other.longest_) keep_if_long(gap);
}

void GapStats::set_cause(std::int64_t begin_ns, std::uint32_t cause) {
  for (Gap& gap : longest_) {
    if (gap.begin_ns == begin_ns) gap.cause = cause;
  }
}

std::int64_t GapStats::half_ns() const {
  std::int64_t left = total_ns_ - total_ns_ / 2;  // half, rounded up
  for (std::size_t i = bins_.size(); i-- > 0;) {
    const Bin& bin = bins_[i];
    if (bin.count == 0) continue;
    left -= bin.total_ns;
    if (left > 0) continue;
    // Of a single gap the length is known; of several, the middle is within half a bucket.
    if (bin.count == 1) return bin.total_ns;
    const std::uint64_t middle = LogBuckets::middle(static_cast<std::uint32_t>(i));
    return std::min(static_cast<std::int64_t>(middle), length(longest_.front()));
  }
  return 0;
}

report::Gaps GapStats::report(std::int64_t first_op_ns, const Names& names) const {
  report::Gaps gaps;
  gaps.count = count_;
  gaps.listed_count = listed_count_;
  gaps.listed_ns = listed_ns_;
  gaps.half_ns = half_ns();
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i].count == 0) continue;
    const std::int64_t from =
        static_cast<std::int64_t>(std::bit_floor(LogBuckets::lower(static_cast<std::uint32_t>(i))));
    if (gaps.histogram.empty() || gaps.histogram.back().from_ns != from) {
      gaps.histogram.push_back({from, 0, 0});
    }
    gaps.histogram.back().count += bins_[i].count;
    gaps.histogram.back().total_ns += bins_[i].total_ns;
  }
  for (const Gap& gap : longest_) {
    report::LongGap& out = gaps.longest.emplace_back();
    out.at_ns = gap.begin_ns - first_op_ns;
    out.length_ns = length(gap);
    out.before = operation_name(gap.before, names.kernel);
    out.after = operation_name(gap.after, names.kernel);
    if (names.cause) out.cause = names.cause(gap.cause);
  }
  return gaps;
}

}  // namespace gapscope
