// What CUPTI's tracing adds to operations on one machine, as `gapscope calibrate` measured it
// there, and what it added to a run by that measure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "report/report.h"

namespace gapscope::report {

struct Calibration {
  std::string gpu;     // its name, as reports have it
  std::string driver;  // "580.159.04", "" if unknown
  // Of the calling thread's time, without what gapscope's own callbacks take; never negative.
  double launch_ns = 0;      // a kernel launched singly
  double graph_node_ns = 0;  // a node of a launched graph, traced singly
  double copy_ns = 0;        // an asynchronous copy or set
  bool operator==(const Calibration&) const = default;
};

std::string to_json(const Calibration& calibration);
// NotFound, PermissionDenied or, when the file is no calibration, InvalidArgument.
absl::StatusOr<Calibration> read_calibration(const std::string& path);

// Nanoseconds of the program's threads that went to CUPTI; 0 when the run was on another GPU or
// driver than the calibration.
std::int64_t cupti_share_ns(const Report& report, const Calibration& calibration);

}  // namespace gapscope::report
