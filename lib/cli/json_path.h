// Picks a value out of a JSON document by a path.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gapscope::cli {

// path: "devices[0].idle_ns" or the JSON pointer "/devices/0/idle_ns"; "" or
// "/" is the whole document. Strings come without quotes, objects and arrays indented; a newline
// ends the text. NotFound names the part of the path that is not there and what is.
absl::StatusOr<std::string> select_json(std::string_view document, std::string_view path);

}  // namespace gapscope::cli
