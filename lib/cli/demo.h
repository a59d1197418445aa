// The recording that ships inside the program, samples/demo.gsrec; embedded by embed.cmake.
#pragma once

#include <string_view>

namespace gapscope::cli {

// Empty when the program was built without it.
std::string_view demo_recording();

}  // namespace gapscope::cli
