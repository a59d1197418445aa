// How full the launches of one kernel name could make the device: averages over their time.
//
// Bounded: fixed size. Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/operation.h"
#include "report/report.h"

namespace gapscope {

class OccupancyTally {
 public:
  // Launches whose occupancy is not known leave no trace.
  void add(const Operation& op);
  void merge(const OccupancyTally& later);
  // max_warps: what a multiprocessor of the device holds, 0 if not known. Nothing when no launch's
  // occupancy is known.
  std::optional<report::Occupancy> report(std::uint32_t max_warps) const;

 private:
  std::int64_t known_ns_ = 0;
  std::int64_t warp_ns_ = 0;  // time by warps that fit a multiprocessor
  double wave_ns_ = 0;        // time by waves
  double filled_ns_ = 0;      // time by the share of block slots that the launch's waves fill
  std::int64_t limit_ns_[kOccupancyLimits] = {};
  // Of the last launch, which is mostly like the next one.
  std::uint64_t blocks_ = 0;
  std::uint32_t slots_ = 0;
  double waves_ = 0;
  double filled_ = 0;
};

}  // namespace gapscope
