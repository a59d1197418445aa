// The driver's calls of `gapscope doctor`, by name: nothing of CUDA is linked or included. For a
// child process: a driver that is started stays so.
#pragma once

#include <string>

#include "cli/doctor.h"

namespace gapscope::cli {

// What the driver says, without any injection, as text for parse_driver_answer(); or why there is
// no driver, which that one refuses.
std::string driver_answer_text();
bool parse_driver_answer(const std::string& text, DriverAnswer& out);

// Starts the driver with the library injected, copies a little to the first GPU and ends recording.
// "" or what failed. What is recorded goes to report_path.
std::string copy_under_injection(const std::string& library, const std::string& cupti_path,
                                 const std::string& report_path);

}  // namespace gapscope::cli
