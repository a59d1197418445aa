// The tables in a code object that say which source line an instruction belongs to.
// Pure functions over bytes of which nothing is taken on trust.
#pragma once

#include <cstdint>
#include <string_view>

namespace gapscope {

// The line of the instruction at byte_offset, 0 when the table does not say.
// 3.10: pairs of (bytes of code, signed lines).
int line_of_3_10(std::string_view table, std::int64_t byte_offset, int first_line);
// From 3.11: entries of variable length, one to eight code units each.
int line_of_3_11(std::string_view table, std::int64_t byte_offset, int first_line);

}  // namespace gapscope
