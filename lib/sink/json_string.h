// A text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace gapscope::sink {

// With its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace gapscope::sink
