// What is done to a range's name before it is counted: what differs from call to call must not make
// a new range of each.
#pragma once

#include <string>
#include <string_view>

namespace gapscope {

// Without what torch.autograd.profiler.emit_nvtx appends: ", seq = 12", ", op_id = 34",
// ", sizes = [...]", ", input_op_ids = [...]". The result is a prefix of name. Whoever interns
// names should do this first: with it, the number of distinct names is that of the operators.
std::string_view strip_range_name(std::string_view name);

// "iteration 12" -> "iteration *": every run of digits becomes one star. The same text when it has
// no digits.
std::string numbered_pattern(std::string_view name);

}  // namespace gapscope
