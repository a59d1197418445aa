// What sort of work a kernel does, from its name: one table of patterns in order of precedence.
#pragma once

#include <string_view>

#include "absl/types/span.h"

namespace gapscope {

// A pattern is lower case and matches anywhere in a lower-cased name; one that begins with '^'
// matches only where an identifier begins: at the name's begin or after "::".
struct FamilyRule {
  std::string_view pattern;
  std::string_view family;
};

// In order of precedence: the first rule that matches decides.
absl::Span<const FamilyRule> family_rules();

inline constexpr std::string_view kCommunicationFamily = "communication";
inline constexpr std::string_view kOptimiserFamily = "optimiser";

// path: the kernel's qualified name without template arguments and parameters; short_name and
// full_name as in KernelName. Communication is decided by path alone, so that a compute kernel with
// such a word among its template arguments is never taken for one. The result is one of the
// table's families or "other", and lives for ever.
std::string_view kernel_family(std::string_view path, std::string_view short_name,
                               std::string_view full_name);

}  // namespace gapscope
