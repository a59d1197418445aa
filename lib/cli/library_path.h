// Where libgapscope.so is, seen from this program.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gapscope::cli {

// The places looked at for a program in this folder: beside it, and in the lib folders beside its
// own (bin/../lib).
std::vector<std::string> library_candidates(const std::string& program_folder);

// The absolute path of the first that exists. NotFound says where it was looked for.
absl::StatusOr<std::string> find_library();

}  // namespace gapscope::cli
