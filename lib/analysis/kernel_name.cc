#include "analysis/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "analysis/kernel_family.h"

namespace gapscope {
namespace {

std::string demangle(const std::string& symbol) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace

KernelName parse_kernel_name(std::string_view symbol) {
  KernelName name;
  const std::string text(symbol.substr(0, kMaxFullName));
  name.full_name = text.starts_with("_Z") ? demangle(text) : text;
  std::string path = name.full_name.substr(0, name.full_name.find_first_of("<("));
  path.erase(0, path.rfind(' ') + 1);
  const std::size_t colons = path.rfind("::");
  name.short_name = path.substr(colons == std::string::npos ? 0 : colons + 2);
  if (name.short_name.empty()) name.short_name = text.empty() ? "(unnamed)" : text;
  name.short_name.resize(std::min(name.short_name.size(), kMaxShortName));
  name.full_name.resize(std::min(name.full_name.size(), kMaxFullName));
  name.family = kernel_family(path, name.short_name, name.full_name);
  name.communication = name.family == kCommunicationFamily;
  return name;
}

}  // namespace gapscope
