// A stretch of a device's time in which nothing began or ended.
#pragma once

#include <cstdint>

#include "analysis/cause_slice.h"
#include "analysis/gap_stats.h"
#include "analysis/operation.h"
#include "analysis/timeline.h"

namespace gapscope {

struct Segment {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool compute = false;        // some kernel that is not communication runs
  bool communication = false;  // some communication kernel runs
  bool copy = false;           // some copy or set runs
  bool only_graphs = false;    // all of compute is known as whole graphs only
  // How many launches without a record may run; matters where nothing else does.
  std::uint32_t unknown = 0;
  // Where idle: the operations at its edges.
  OperationRef before;
  OperationRef after;
  Launch after_launch;
  CauseSlices causes;  // add up to its length

  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool busy() const { return compute || communication || copy; }
  TimeKind kind() const {
    if (compute) return TimeKind::compute;
    if (communication) return TimeKind::comm_exposed;
    if (copy) return TimeKind::copy_only;
    return unknown > 0 ? TimeKind::unknown : TimeKind::idle;
  }
};

}  // namespace gapscope
