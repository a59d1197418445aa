// Where the page goes at the end of a run.
#pragma once

#include <string>

#include "report/report.h"
#include "runtime/config.h"

namespace gapscope {

// Prints the page to stderr or Config::output_path with one write; nothing under GAPSCOPE_QUIET.
// brief: the program failed, so only the five lines, not to bury its own words; a full report is
// then kept in a file (report_path when given).
void print_page(const report::Report& report, const Config& config, bool brief,
                const std::string& report_path);

}  // namespace gapscope
