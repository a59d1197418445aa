// The table behind config.h: one row a variable, with how to take its value. Part of its
// implementation.
#pragma once

#include <string_view>

#include "absl/types/span.h"
#include "runtime/config.h"

namespace gapscope::config {

struct Row {
  ConfigOption option;
  std::string_view accepts;  // for a message: "a size from 16KiB to 1GiB"; "" when anything is
  // Puts value into config; false when it is not acceptable. Never called with an empty value.
  bool (*set)(std::string_view value, const Environment& environment, Config& config);
};

absl::Span<const Row> table();

}  // namespace gapscope::config
