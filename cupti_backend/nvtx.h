// Ranges and marks of NVTX, taken from every library of the process that has NVTX inside.
#pragma once

#include <string>

namespace gapscope::cupti {

// "attached", or how to attach it.
std::string nvtx_state();

}  // namespace gapscope::cupti
