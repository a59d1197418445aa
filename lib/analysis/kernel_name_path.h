// Taking demangled C++ names apart, tolerantly: unbalanced or meaningless text gives some result,
// never an error, in time linear in its length.
#pragma once

#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace gapscope {

// "a::b<int>(float)::{lambda(int)#1}" has the components a, b and a lambda.
struct NameComponent {
  std::string_view name;       // without template arguments; "operator()" and the like whole
  std::string_view arguments;  // between < and >, empty if none
  bool has_parameters = false;
  bool lambda = false;  // name is then "lambda"
};

struct QualifiedName {
  absl::InlinedVector<NameComponent, 8> components;  // anonymous namespaces left out
  bool pointer = false;                              // a pointer or reference to such a type
};

// The name in "[return type] name[<arguments>][(parameters)] [qualifiers]". Views into text.
QualifiedName parse_qualified_name(std::string_view text);

// Splits template arguments at their top-level commas, blanks trimmed; at most max of them.
absl::InlinedVector<std::string_view, 8> split_arguments(std::string_view arguments,
                                                         std::size_t max);

}  // namespace gapscope
