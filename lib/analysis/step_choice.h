// Which steps are kept for a picture, although nobody knows beforehand how long steps will be: the
// longest so far, and the one whose length was nearest to the median so far. The median moves, so
// the second is near the run's median, not exactly it.
//
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <memory>

#include "analysis/histogram.h"
#include "analysis/step_entries.h"

namespace gapscope {

struct KeptStep {
  std::int64_t index = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  StepEntries entries;
};

class StepChoice {
 public:
  // A step of that length ended: whether it is to be kept, as what.
  struct Verdict {
    bool longest = false;
    bool nearest = false;
    bool any() const { return longest || nearest; }
  };
  Verdict judge(std::int64_t length_ns);
  void keep(Verdict verdict, const std::shared_ptr<const KeptStep>& step);

  // nullptr before the first step.
  const std::shared_ptr<const KeptStep>& longest() const { return longest_; }
  const std::shared_ptr<const KeptStep>& nearest() const { return nearest_; }

 private:
  Histogram lengths_;
  std::int64_t median_ns_ = 0;
  std::int64_t next_look_ = 1;  // at the median: as the number of steps grows by a 64th
  std::int64_t longest_ns_ = -1;
  std::int64_t nearest_ns_ = 0;
  std::shared_ptr<const KeptStep> longest_, nearest_;
};

}  // namespace gapscope
