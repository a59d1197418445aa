#include "analysis/kernel_name.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analysis/kernel_family.h"
#include "analysis/kernel_name_demangle.h"
#include "analysis/kernel_name_path.h"

namespace gapscope {
namespace {

// Names of the templates of some libraries exceed 4 KB by far; the telling part stands at the
// front, but the cut must not fall into it.
constexpr std::size_t kMaxDemangled = 64 * 1024;
constexpr std::size_t kMaxSymbol = 32 * 1024;
constexpr int kMaxNesting = 12;
constexpr std::size_t kMaxArguments = 16;

template <std::size_t N>
bool is_any(std::string_view name, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Function names that say nothing without the class or namespace they stand in.
constexpr std::string_view kGeneric[] = {
    "kernel",  "Kernel",  "Kernel2",  "device_kernel", "_kernel_agent", "kernel_impl", "run",
    "main",    "forward", "backward", "fwd",           "bwd",           "impl",        "invoke",
    "apply",   "call",    "launch",   "compute",       "dispatch",      "combine",     "barrier",
    "functor", "fused",   "fill",     "copy",          "reduce",        "scan",        "execute"};

// Kernels that only run what their first type argument is.
constexpr std::string_view kShells[] = {"Kernel", "Kernel2", "device_kernel", "_kernel_agent"};

// Namespaces that tell a reader whose kernel it is.
constexpr std::string_view kLibraries[] = {"cub",  "thrust",  "cudnn",      "cutlass",
                                           "vllm", "deep_ep", "flashinfer", "deep_gemm"};

// Types whose own template arguments hold the operation.
constexpr std::string_view kWrappers[] = {"gpu_kernel",
                                          "gpu_kernel_impl",
                                          "gpu_kernel_impl_nocast",
                                          "gpu_kernel_with_scalars",
                                          "gpu_kernel_multiple_outputs_impl",
                                          "gpu_index_kernel",
                                          "opmath_gpu_kernel_with_scalars",
                                          "opmath_symmetric_gpu_kernel_with_scalars",
                                          "BinaryFunctor",
                                          "AUnaryFunctor",
                                          "BUnaryFunctor",
                                          "ReduceOp",
                                          "func_wrapper",
                                          "func_wrapper_t",
                                          "uniform_and_transform",
                                          "normal_and_transform",
                                          "distribution_nullary_kernel",
                                          "distribution_binary_kernel",
                                          "__nv_dl_wrapper_t",
                                          "__nv_hdl_wrapper_t",
                                          "__nv_dl_tag",
                                          "__nv_dl_trailing_return_tag",
                                          "ParallelFor",
                                          "ParallelReduce",
                                          "ParallelScan"};

// Arguments that say how a kernel reads its operands, not what it does with them.
constexpr std::string_view kNoise[] = {"void",
                                       "bool",
                                       "char",
                                       "short",
                                       "int",
                                       "long",
                                       "unsigned",
                                       "signed",
                                       "float",
                                       "double",
                                       "__half",
                                       "half",
                                       "Half",
                                       "BFloat16",
                                       "__nv_bfloat16",
                                       "nv_bfloat16",
                                       "__nv_fp8_e4m3",
                                       "__nv_fp8_e5m2",
                                       "Float8_e4m3fn",
                                       "Float8_e5m2",
                                       "complex",
                                       "float2",
                                       "float4",
                                       "int4",
                                       "uint4",
                                       "true",
                                       "false",
                                       "Array",
                                       "array",
                                       "tuple",
                                       "pair",
                                       "integral_constant",
                                       "integer_sequence",
                                       "TrivialOffsetCalculator",
                                       "OffsetCalculator",
                                       "LoadWithoutCast",
                                       "LoadWithCast",
                                       "StoreWithoutCast",
                                       "StoreWithCast",
                                       "TensorListMetadata",
                                       "TensorListScalarListMetadata",
                                       "FusedOptimizerTensorListMetadata",
                                       "DepthwiseArgs",
                                       "TensorInfo",
                                       "PackedTensorAccessor",
                                       "GenericPackedTensorAccessor",
                                       "OpaqueType",
                                       "RangePolicy",
                                       "LaunchBounds"};

bool is_wrapper(std::string_view name) {
  return is_any(name, kWrappers) || name.starts_with("enable_");
}

// Kernels that take their operation as a template argument: every type among them is kept.
bool takes_operation(std::string_view function) {
  for (const std::string_view part :
       {"elementwise_kernel", "multi_tensor_apply", "distribution_elementwise",
        "tensor_kernel_scan", "kernelPointwiseApply", "cuda_parallel_launch"}) {
    if (function.find(part) != std::string_view::npos) return true;
  }
  return function == "reduce_kernel";
}

// In other kernels only what is named like an operation.
bool looks_like_operation(std::string_view name) {
  for (const std::string_view end : {"Functor", "functor", "Epilogue", "_kernel", "Ops"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

std::string_view library_of(const QualifiedName& name, std::size_t before) {
  for (std::size_t i = 0; i < before; ++i) {
    if (is_any(name.components[i].name, kLibraries)) return name.components[i].name;
  }
  return {};
}

bool is_call(const NameComponent& component) {
  return component.lambda || component.name == "operator()";
}

// The component that names the thing: in "f(int)::{lambda(int)#1}::operator()(int) const" f, in
// "a::b" b. The number of components when there is none.
std::size_t naming_component(const QualifiedName& name) {
  const std::size_t size = name.components.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (is_call(name.components[i])) return i > 0 ? i - 1 : (size > 1 ? 1 : size);
    if (name.components[i].has_parameters) return i;
  }
  return size == 0 ? 0 : size - 1;
}

struct Operation {
  std::string_view name;     // empty when the argument tells nothing
  std::string_view library;  // of kLibraries, or empty
  bool is_code = false;      // a function or a lambda of one
};

std::string_view unwrap(std::string_view argument) {
  for (int i = 0; i < 4; ++i) {
    if (argument.starts_with('&')) argument.remove_prefix(1);
    if (!argument.starts_with('(') || !argument.ends_with(')')) break;
    if (argument.starts_with("(anonymous namespace)")) break;
    argument = argument.substr(1, argument.size() - 2);
  }
  return argument;
}

Operation find_operation(std::string_view argument, int nesting) {
  const bool address = argument.starts_with('&');
  argument = unwrap(argument);
  if (argument.empty() || nesting > kMaxNesting) return {};
  if (!(absl::ascii_isalpha(argument[0]) || argument[0] == '_' ||
        argument.starts_with("(anonymous namespace)"))) {
    return {};
  }
  const QualifiedName name = parse_qualified_name(argument);
  const std::size_t at = naming_component(name);
  if (at >= name.components.size()) return {};
  const NameComponent& component = name.components[at];
  if (is_wrapper(component.name)) {
    for (const std::string_view part : split_arguments(component.arguments, kMaxArguments)) {
      const Operation inner = find_operation(part, nesting + 1);
      if (!inner.name.empty()) return inner;
    }
  }
  if (name.pointer || is_call(component) || is_any(component.name, kNoise)) return {};
  return {component.name, library_of(name, at),
          address || component.has_parameters || at + 1 < name.components.size()};
}

// "name", preceded by what a reader needs to place it.
std::string qualified(const QualifiedName& name, std::size_t at) {
  const std::string_view function = name.components[at].name;
  const std::string_view library = library_of(name, at);
  std::string result;
  if (!library.empty()) result = absl::StrCat(library, "::");
  if (is_any(function, kGeneric) && at > 0 && name.components[at - 1].name != library) {
    absl::StrAppend(&result, name.components[at - 1].name, "::");
  }
  absl::StrAppend(&result, function);
  return result;
}

std::string operations(const NameComponent& function) {
  const bool all = takes_operation(function.name);
  std::string kept;
  std::string_view last;
  int left = all ? 2 : 1;
  for (const std::string_view argument : split_arguments(function.arguments, kMaxArguments)) {
    const Operation operation = find_operation(argument, 0);
    if (operation.name.empty()) continue;
    if (!all && !operation.is_code && !looks_like_operation(operation.name)) continue;
    if (operation.name == last) continue;
    absl::StrAppend(&kept, kept.empty() ? "<" : ", ", operation.name);
    last = operation.name;
    if (--left == 0) break;
  }
  if (!kept.empty()) kept += ">";
  return kept;
}

std::string shorten(const QualifiedName& name) {
  const std::size_t at = naming_component(name);
  if (at >= name.components.size()) return {};
  const NameComponent& function = name.components[at];
  if (is_any(function.name, kShells)) {
    for (const std::string_view argument : split_arguments(function.arguments, kMaxArguments)) {
      const Operation operation = find_operation(argument, 0);
      if (operation.name.empty()) continue;
      return absl::StrCat(operation.library, operation.library.empty() ? "" : "::", operation.name);
    }
  }
  std::string result = qualified(name, at);
  const std::string_view library = library_of(name, at);
  if (library != "cub" && library != "thrust") absl::StrAppend(&result, operations(function));
  if (at + 1 < name.components.size()) {
    absl::StrAppend(&result, "::", name.components[at + 1].name);  // lambda or operator()
  }
  return result;
}

// Length of the UTF-8 sequence that begins here, 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

// Valid UTF-8 without control characters; what is neither becomes '?'. At most max_bytes, cut
// between characters.
std::string clean(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kCut = "...";
  std::string result;
  std::size_t fits = 0;  // how much may stay when the mark of the cut follows
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    const bool good = length > 1 || (length == 1 && text[0] >= 0x20 && text[0] != 0x7f);
    if (length == 0) length = 1;
    if (good) {
      result.append(text.substr(0, length));
    } else {
      result.push_back('?');
    }
    text.remove_prefix(length);
    if (result.size() + kCut.size() <= max_bytes) fits = result.size();
    if (result.size() > max_bytes) return result.substr(0, fits).append(kCut);
  }
  return result;
}

std::string join(const QualifiedName& name) {
  std::string path;
  for (const NameComponent& component : name.components) {
    absl::StrAppend(&path, path.empty() ? "" : "::", component.name);
  }
  return path;
}

}  // namespace

KernelName parse_kernel_name(std::string_view symbol) {
  symbol = symbol.substr(0, kMaxSymbol);
  const std::optional<std::string> demangled = demangle(symbol, kMaxDemangled);
  std::string text = demangled.value_or(std::string(symbol));
  if (!demangled && symbol.starts_with("_Z")) {
    const MangledHead head = read_mangled_head(symbol);
    if (!head.path.empty()) text = absl::StrCat(head.path, "<", head.first_argument, ">");
  }
  QualifiedName name;
  std::string path;
  std::string short_name;
  if (demangled || text.find_first_of("(<") != std::string::npos ||
      text.find("::") != std::string::npos) {
    name = parse_qualified_name(text);
    path = join(name);
    short_name = shorten(name);
  }
  if (short_name.empty()) short_name = text;
  if (short_name.empty()) short_name = "(unnamed)";
  if (path.empty()) path = short_name;

  KernelName result;
  result.full_name = clean(demangled ? text : std::string(symbol), kMaxFullName);
  result.short_name = clean(short_name, kMaxShortName);
  result.family = kernel_family(path, short_name, text);
  result.communication = result.family == kCommunicationFamily;
  result.optimiser = result.family == kOptimiserFamily;
  return result;
}

}  // namespace gapscope
