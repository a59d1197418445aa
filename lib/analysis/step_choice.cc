#include "analysis/step_choice.h"

#include <cstdlib>

namespace gapscope {

StepChoice::Verdict StepChoice::judge(std::int64_t length_ns) {
  lengths_.add(length_ns);
  if (lengths_.count() >= next_look_) {
    median_ns_ = lengths_.percentile_ns(0.5);
    next_look_ = lengths_.count() + lengths_.count() / 64 + 1;
  }
  Verdict verdict;
  verdict.longest = length_ns > longest_ns_;
  verdict.nearest =
      nearest_ == nullptr || std::abs(length_ns - median_ns_) < std::abs(nearest_ns_ - median_ns_);
  if (verdict.longest) longest_ns_ = length_ns;
  if (verdict.nearest) nearest_ns_ = length_ns;
  return verdict;
}

void StepChoice::keep(Verdict verdict, const std::shared_ptr<const KeptStep>& step) {
  if (verdict.longest) longest_ = step;
  if (verdict.nearest) nearest_ = step;
}

}  // namespace gapscope
