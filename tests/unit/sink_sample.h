// A report as a training run leaves it, for the tests of what is made from reports.
#pragma once

#include "report/report.h"

namespace gapscope::test {

report::Device sample_device(std::uint32_t ordinal);

// One GPU, steady state of 1,388 marked steps, no causes: the state of the first release.
report::Report sample_report();
// The same with causes, evidence and advice.
report::Report sample_report_with_causes();
// Two full GPUs with exposed communication, and a third with 12 operations.
report::Report sample_report_three_gpus();

}  // namespace gapscope::test
