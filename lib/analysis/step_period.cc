#include "analysis/step_period.h"

#include <algorithm>

namespace gapscope {

void StepPeriod::add(std::int64_t duration_ns) {
  if (ring_.size() < kHistory) {
    ring_.push_back(duration_ns);
    return;
  }
  ring_[next_] = duration_ns;
  next_ = (next_ + 1) % kHistory;
}

// Oldest first.
std::vector<bool> StepPeriod::slow_steps() const {
  std::vector<std::int64_t> sorted = ring_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double limit = kSlowRatio * static_cast<double>(*middle);
  std::vector<bool> slow(ring_.size());
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    slow[i] = static_cast<double>(ring_[(next_ + i) % ring_.size()]) > limit;
  }
  return slow;
}

std::int64_t StepPeriod::period() const {
  if (ring_.size() < 2 * kMinHits) return 0;
  const std::vector<bool> slow = slow_steps();
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    if (slow[i]) at.push_back(i);
  }
  if (at.size() < kMinHits) return 0;
  std::vector<std::size_t> hits;
  for (std::size_t period = 2; period <= std::min(kMaxPeriod, slow.size() / 2); ++period) {
    hits.assign(period, 0);
    for (const std::size_t i : at) ++hits[i % period];
    const auto best = std::max_element(hits.begin(), hits.end());
    const auto offset = static_cast<std::size_t>(best - hits.begin());
    if (*best < kMinHits) continue;
    const std::size_t places = (slow.size() - 1 - offset) / period + 1;
    const auto share = [&](std::size_t of) {
      return static_cast<double>(*best) >= kShare * static_cast<double>(of);
    };
    if (share(at.size()) && share(places)) return static_cast<std::int64_t>(period);
  }
  return 0;
}

}  // namespace gapscope
