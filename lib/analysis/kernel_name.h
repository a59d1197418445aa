// From a kernel's symbol, as CUPTI gives it, to what a person wants to read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gapscope {

inline constexpr std::size_t kMaxFullName = 4096;  // bytes; longer names end in "..."
inline constexpr std::size_t kMaxShortName = 120;

struct KernelName {
  // No return type, parameters, template arguments or namespaces, save where they tell kernels
  // apart: "vectorized_elementwise_kernel<CUDAFunctor_add>", "gemvx::kernel". Never empty.
  std::string short_name;
  std::string full_name;    // demangled, whole; a name that is not mangled stays as it is
  std::string_view family;  // see kernel_family.h; lives for ever
  bool communication = false;
  bool optimiser = false;
};

// Takes any bytes, however hostile: work and memory are bounded (see demangle_is_bounded() for the
// one condition), the result is valid UTF-8 without control characters. Costs microseconds: call it
// once for a distinct name. Thread-safe.
KernelName parse_kernel_name(std::string_view symbol);

}  // namespace gapscope
