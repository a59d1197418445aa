#include "analysis/kernel_name_demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"

// __cxa_demangle with the output going to a callback in pieces of at most 255 bytes and no heap
// memory; 0 on success. It stands beside __cxa_demangle in libstdc++.a, with which the library that
// profiles is linked; libstdc++.so does not export it, hence weak.
extern "C" [[gnu::weak]] int __gcclibcxx_demangle_callback(
    const char* mangled, void (*callback)(const char*, std::size_t, void*), void* opaque);

namespace gapscope {
namespace {

struct Output {
  std::jmp_buf full;
  std::string* text;  // has room for max_bytes: appending never allocates, so never throws
  std::size_t max_bytes;
};

void append(const char* piece, std::size_t bytes, void* opaque) {
  Output& output = *static_cast<Output*>(opaque);
  const std::size_t room = output.max_bytes - output.text->size();
  output.text->append(piece, std::min(bytes, room));
  // The demangler cannot be told to stop. It is C and owns nothing but its stack, and no object
  // with a destructor lives between here and setjmp.
  if (bytes > room) std::longjmp(output.full, 1);
}

// Has no variables of its own that setjmp could leave undefined.
bool demangle_into(const char* symbol, Output& output) {
  if (setjmp(output.full) != 0) return true;
  return __gcclibcxx_demangle_callback(symbol, append, &output) == 0;
}

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

// "St", "S_", "S1A_": a prefix that was named before.
void skip_substitution(std::string_view& rest) {
  if (!rest.starts_with('S')) return;
  std::size_t at = 1;
  while (at < rest.size() && (absl::ascii_isdigit(rest[at]) || absl::ascii_isupper(rest[at]))) ++at;
  if (at < rest.size() && (rest[at] == '_' || rest[at] == 't')) rest.remove_prefix(at + 1);
}

std::string take_path(std::string_view& rest) {
  std::string path;
  skip_substitution(rest);
  while (true) {
    const std::string_view name = take_identifier(rest);
    if (name.empty()) return path;
    if (name.starts_with("_GLOBAL__N_") || name.starts_with("_INTERNAL_")) continue;
    if (!path.empty()) path += "::";
    path += name;
  }
}

}  // namespace

bool demangle_is_bounded() { return &__gcclibcxx_demangle_callback != nullptr; }

std::optional<std::string> demangle(std::string_view symbol, std::size_t max_bytes) {
  if (!symbol.starts_with("_Z") || symbol.find('\0') != std::string_view::npos) return {};
  const std::string terminated(symbol);
  if (demangle_is_bounded()) {
    std::string text;
    text.reserve(max_bytes);
    Output output{{}, &text, max_bytes};
    if (!demangle_into(terminated.c_str(), output) || text.empty()) return {};
    text.shrink_to_fit();
    return text;
  }
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
