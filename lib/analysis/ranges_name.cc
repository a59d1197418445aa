#include "analysis/ranges_name.h"

#include <algorithm>

namespace gapscope {
namespace {

constexpr std::string_view kAppended[] = {
    ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view strip_range_name(std::string_view name) {
  std::size_t end = name.size();
  for (const std::string_view appended : kAppended) end = std::min(end, name.find(appended));
  return name.substr(0, end);
}

std::string numbered_pattern(std::string_view name) {
  std::string pattern;
  pattern.reserve(name.size());
  for (const char c : name) {
    if (!is_digit(c)) {
      pattern.push_back(c);
    } else if (pattern.empty() || pattern.back() != '*') {
      pattern.push_back('*');
    }
  }
  return pattern;
}

}  // namespace gapscope
