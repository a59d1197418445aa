#include "analysis/kernel_name_demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"

namespace gapscope {
namespace {

// <length><identifier>; empty when there is none.
std::string_view take_identifier(std::string_view& rest) {
  std::size_t length = 0;
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 5 && absl::ascii_isdigit(rest[digits])) {
    length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
  }
  if (length == 0 || digits == rest.size()) return {};
  const std::string_view name = rest.substr(digits, length);
  rest.remove_prefix(std::min(rest.size(), digits + length));
  return name;
}

std::string take_path(std::string_view& rest) {
  std::string path;
  while (true) {
    const std::string_view name = take_identifier(rest);
    if (name.empty()) return path;
    if (name.starts_with("_GLOBAL__N_") || name.starts_with("_INTERNAL_")) continue;
    if (!path.empty()) path += "::";
    path += name;
  }
}

}  // namespace

std::optional<std::string> demangle(std::string_view symbol, std::size_t max_bytes) {
  if (!symbol.starts_with("_Z") || symbol.find('\0') != std::string_view::npos) return {};
  const std::string terminated(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return {};
  return std::string(std::string_view(text.get()).substr(0, max_bytes));
}

MangledHead read_mangled_head(std::string_view symbol) {
  MangledHead head;
  if (!symbol.starts_with("_Z")) return head;
  symbol.remove_prefix(2);
  while (!symbol.empty() && std::string_view("NLrVK").find(symbol[0]) != std::string_view::npos) {
    symbol.remove_prefix(1);
  }
  if (symbol.starts_with("St")) symbol.remove_prefix(2);
  head.path = take_path(symbol);
  if (!symbol.starts_with("I")) return head;
  symbol.remove_prefix(1);
  // Wrappers nest: skip into them until an argument list does not begin with a name.
  while (symbol.starts_with("N") || (!symbol.empty() && absl::ascii_isdigit(symbol[0]))) {
    if (symbol[0] == 'N') symbol.remove_prefix(1);
    std::string path = take_path(symbol);
    if (path.empty()) break;
    head.first_argument = std::move(path);
    const bool wrapper = head.first_argument.find("enable_") != std::string::npos;
    if (!wrapper || !symbol.starts_with("I")) break;
    symbol.remove_prefix(1);
  }
  return head;
}

}  // namespace gapscope
