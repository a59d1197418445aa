// Itanium demangling with bounded output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gapscope {

// What abi::__cxa_demangle gives, but at most max_bytes of it. Empty when symbol is not a mangled
// name or is damaged. Thread-safe.
//
// __cxa_demangle has no bound: a symbol of 200 bytes with nested substitutions can demangle to
// 2^40. So where libstdc++ is linked in statically, as in libgapscope.so, its callback form is used
// and stopped at max_bytes; elsewhere the output is cut afterwards.
std::optional<std::string> demangle(std::string_view symbol, std::size_t max_bytes);

// Whether work and memory are bounded by max_bytes in this binary.
bool demangle_is_bounded();

// For a mangled name that was cut off or damaged: the identifiers of its nested name as far as they
// can be read, joined by "::"; those after the first template argument list's begin follow, so that
// "_ZN7cutlass13device_kernelIN5flash16FlashAttn..." gives both path "cutlass::device_kernel" and
// first argument "flash::FlashAttn". Empty parts where there are none.
struct MangledHead {
  std::string path;
  std::string first_argument;
};
MangledHead read_mangled_head(std::string_view symbol);

}  // namespace gapscope
