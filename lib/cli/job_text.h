// A job's page, and the same as JSON.
#pragma once

#include <string>

#include "cli/job.h"
#include "sink/text.h"

namespace gapscope::cli {

// all: every rank; else at most 32, the slowest first when there are more. Ends with a newline.
std::string job_to_text(const Job& job, const sink::TextOptions& options, bool all);

// Durations in nanoseconds. Two-space indentation, a newline at the end.
std::string job_to_json(const Job& job);

}  // namespace gapscope::cli
