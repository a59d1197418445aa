#include "analysis/cause_slice.h"

namespace gapscope {

CauseSlices summed(const CauseSlices& slices) {
  CauseSlices sums;
  for (const CauseSlice& slice : slices) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const CauseSlice& sum) {
      return sum.cause == slice.cause && sum.evidence == slice.evidence;
    });
    if (same == sums.end()) {
      sums.push_back(slice);
    } else {
      same->ns += slice.ns;
    }
  }
  return sums;
}

std::int64_t Unpainted::paint(std::int64_t begin_ns, std::int64_t end_ns, Cause cause,
                              const EvidenceRef& evidence) {
  std::int64_t painted = 0;
  for (std::size_t i = 0; i < left_.size();) {
    const Interval piece = left_[i];
    const std::int64_t from = std::max(piece.begin_ns, begin_ns);
    const std::int64_t to = std::min(piece.end_ns, end_ns);
    if (from >= to) {
      ++i;
      continue;
    }
    painted += to - from;
    painted_.push_back({from, {cause, to - from, evidence}});
    const bool before = piece.begin_ns < from;
    const bool after = to < piece.end_ns;
    if (before) left_[i++] = {piece.begin_ns, from};
    if (after) {
      if (before) {
        left_.insert(left_.begin() + static_cast<std::ptrdiff_t>(i), {to, piece.end_ns});
      } else {
        left_[i] = {to, piece.end_ns};
      }
      ++i;
    } else if (!before) {
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return painted;
}

void Unpainted::finish(Cause cause, const EvidenceRef& evidence) {
  for (const Interval& piece : left_) {
    painted_.push_back({piece.begin_ns, {cause, piece.end_ns - piece.begin_ns, evidence}});
  }
  left_.clear();
  std::sort(painted_.begin(), painted_.end(),
            [](const Painted& a, const Painted& b) { return a.begin_ns < b.begin_ns; });
  for (const auto& [begin_ns, slice] : painted_) {
    const bool goes_on = !slices_.empty() && slices_.back().cause == slice.cause &&
                         slices_.back().evidence == slice.evidence;
    if (goes_on) {
      slices_.back().ns += slice.ns;
    } else {
      slices_.push_back(slice);
    }
  }
  painted_.clear();
  if (slices_.size() > kMaxSlices) slices_ = summed(slices_);
}

}  // namespace gapscope
