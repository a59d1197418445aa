#include "analysis/overlap_sweep.h"

#include <algorithm>

namespace gapscope {

void OverlapSweep::Sums::add(const Sums& other) {
  both_ns += other.both_ns;
  gpu_only_ns += other.gpu_only_ns;
  cpu_only_ns += other.cpu_only_ns;
  neither_ns += other.neither_ns;
  unknown_ns += other.unknown_ns;
}

void OverlapSweep::advance(std::int64_t to_ns) {
  if (now_ns_ == kNever) now_ns_ = to_ns;
  const std::int64_t ns = to_ns - now_ns_;
  if (ns <= 0) return;
  now_ns_ = to_ns;
  if (busy_ > 0) {
    busy_ns_ += ns;
  } else if (unknown_ > 0) {
    unknown_ns_ += ns;
  }
  if (!window_open_) return;
  Sums& to = counted_ > 0 ? sums(phase_) : held_back_;
  if (busy_ > 0) {
    (work_ > 0 ? to.both_ns : to.gpu_only_ns) += ns;
  } else if (unknown_ > 0) {
    to.unknown_ns += ns;
  } else {
    (work_ > 0 ? to.cpu_only_ns : to.neither_ns) += ns;
  }
  if (counted_ > 0) last_op_ns_ = to_ns;
}

void OverlapSweep::count_in(std::int64_t start_ns, std::int64_t range, Phase phase) {
  const bool pause = range > range_ && counted_ == 0;
  if (window_open_ && !pause) sums(phase_).add(held_back_);
  held_back_ = Sums{};
  if (!window_open_) first_op_ns_ = start_ns;
  last_op_ns_ = std::max(last_op_ns_, start_ns);
  window_open_ = true;
  range_ = std::max(range_, range);
  if (phase == Phase::steady) phase_ = Phase::steady;
  ++counted_;
}

void OverlapSweep::take_back_steady() {
  sums(Phase::warmup).add(sums(Phase::steady));
  sums(Phase::steady) = Sums{};
  phase_ = Phase::warmup;
}

std::int64_t OverlapSweep::span_ns(Phase phase) const {
  const Sums& s = sums_[static_cast<int>(phase)];
  return s.both_ns + s.gpu_only_ns + s.cpu_only_ns + s.neither_ns + s.unknown_ns;
}

report::Overlap OverlapSweep::overlap(bool steady_only) const {
  Sums s = sums_[static_cast<int>(Phase::steady)];
  if (!steady_only) s.add(sums_[static_cast<int>(Phase::warmup)]);
  report::Overlap overlap;
  overlap.both_ns = s.both_ns;
  overlap.gpu_only_ns = s.gpu_only_ns;
  overlap.cpu_only_ns = s.cpu_only_ns;
  overlap.neither_ns = s.neither_ns;
  overlap.window_ns = s.both_ns + s.gpu_only_ns + s.cpu_only_ns + s.neither_ns;
  return overlap;
}

}  // namespace gapscope
