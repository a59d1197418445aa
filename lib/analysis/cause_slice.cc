#include "analysis/cause_slice.h"

namespace gapscope {

void Unpainted::add(Cause cause, std::int64_t ns, const EvidenceRef& evidence) {
  for (CauseSlice& slice : slices_) {
    if (slice.cause == cause && slice.evidence == evidence) {
      slice.ns += ns;
      return;
    }
  }
  slices_.push_back({cause, ns, evidence});
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
  if (painted > 0) add(cause, painted, evidence);
  return painted;
}

void Unpainted::finish(Cause cause, const EvidenceRef& evidence) {
  std::int64_t ns = 0;
  for (const Interval& piece : left_) ns += piece.end_ns - piece.begin_ns;
  left_.clear();
  if (ns > 0) add(cause, ns, evidence);
}

}  // namespace gapscope
