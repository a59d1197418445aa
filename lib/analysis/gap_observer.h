// Who is told of every idle gap as it becomes final (the trace): analysis itself keeps only sums.
#pragma once

#include <cstdint>

#include "analysis/cause_slice.h"

namespace gapscope {

// A maximal idle interval [begin_ns, end_ns) of a device, inside what is counted. Time that a late
// record turns from unknown into idle is not observed.
struct ObservedGap {
  std::uint32_t device;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  const CauseSlices& causes;  // add up to its length; string ids are the record stream's
};

// Called on the thread that owns the analysis, from within consume(); ascending on each device.
class GapObserver {
 public:
  virtual ~GapObserver() = default;
  virtual void observe(const ObservedGap& gap) = 0;
};

}  // namespace gapscope
