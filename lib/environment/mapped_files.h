// Which files a process has mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gapscope::environment {

// The paths of a /proc/PID/maps text, each once, in order of address; at most 8,192. A file that
// was deleted or replaced meanwhile is under its old name.
std::vector<std::string> mapped_files(std::string_view maps);

}  // namespace gapscope::environment
