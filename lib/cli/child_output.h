// What a program prints.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/config.h"

namespace gapscope::cli {

// Runs command[0] (a path) with this environment to its end and returns its stdout; its stderr is
// this process's. Unavailable when it cannot be started or does not end with exit code 0.
absl::StatusOr<std::string> output_of(const std::vector<std::string>& command,
                                      const Environment& environment);

}  // namespace gapscope::cli
