// A report of a process that went on after it was taken.
#pragma once

#include "report/report.h"

namespace gapscope::report {

// The process's end is only known at the end. A recording that was cut off says so itself.
inline bool is_snapshot(const Report& report) {
  return report.process.end_ns == 0 && report.process.start_ns > 0 && !report.truncated;
}

}  // namespace gapscope::report
