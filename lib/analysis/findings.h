// Findings that are no causes of idle time, and the advice that follows from a report.
#pragma once

#include <vector>

#include "report/report.h"

namespace gapscope {

// Copies that nothing hides, exposed communication, streams that never overlap, blocking waits over
// an idle device: largest first. Reads the device's own sums only.
std::vector<report::Finding> findings(const report::Device& device);

// What to change, at most five, by how much it can win at best. steps: how many the scope's window
// holds; 0 gives bounds for the whole window. cpus: that the process may run on, 0 if unknown.
std::vector<report::Advice> advise(const report::Scope& scope, double steps, std::int64_t cpus);

}  // namespace gapscope
