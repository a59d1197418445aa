// For people who come from nvprof and ncu: where what they used is found here.
#pragma once

#include <string>

namespace gapscope::cli {

// The text of `gapscope help nvprof`.
std::string nvprof_help();

}  // namespace gapscope::cli
