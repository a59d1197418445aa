#include "environment/environment.h"

#include <sys/utsname.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "environment/cuda_libraries.h"
#include "environment/git_head.h"
#include "environment/mapped_files.h"
#include "environment/python_environment.h"
#include "fmt/format.h"

namespace gapscope::environment {
namespace {

constexpr std::size_t kSmallFile = 16u << 10;
constexpr std::size_t kMostMaps = 16u << 20;
constexpr std::size_t kMostValue = 256;

// The value of the first line that begins with key, behind separator, without quotes.
std::string value_of(std::string_view text, std::string_view key, char separator) {
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos || absl::StripAsciiWhitespace(line.substr(0, at)) != key)
      continue;
    std::string_view value = absl::StripAsciiWhitespace(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : std::string();
}

std::string variable(const Request& request, std::string_view name) {
  for (const report::Variable& v : request.variables)
    if (v.name == name) return v.value;
  return {};
}

const report::Library* find(const report::Environment& e, std::string_view name) {
  for (const report::Library& library : e.libraries)
    if (library.name == name && major_version(library) >= 0) return &library;
  return nullptr;
}

void warn_of_conda(const FileView& files, const Request& request, Gathered& out) {
  const std::string active = variable(request, "CONDA_PREFIX");
  const std::string& python = out.environment.python_path;
  if (active.empty() || python.empty()) return;
  if (lies_below(python, active) || lies_below(python, files.real_path(active))) return;
  out.warnings.push_back(
      request.anonymous
          ? "Python lies outside the active conda environment"
          : fmt::format("Python ({}) lies outside the active conda environment ({}): its packages "
                        "are not those that conda lists",
                        python, active));
}

void warn_of_cupti(Gathered& out) {
  const report::Library* cupti = find(out.environment, "CUPTI");
  const report::Library* runtime = find(out.environment, "CUDA runtime");
  if (cupti == nullptr || runtime == nullptr) return;
  if (major_version(*cupti) == major_version(*runtime)) return;
  out.warnings.push_back(fmt::format(
      "{} was used with {}: CUPTI of another major version than the CUDA runtime's may miss "
      "records (GAPSCOPE_CUPTI_PATH names another one)",
      cupti->soname, runtime->soname));
}

void hide_names(report::Environment& e) {
  const auto file_name = [](std::string& path) { path = std::string(file_of(path)); };
  file_name(e.python_path);
  for (report::Library& library : e.libraries) file_name(library.path);
  e.conda_name.clear();
  e.conda_prefix.clear();
  e.virtualenv_prefix.clear();
  e.git_branch.clear();
  e.variables.erase(std::remove_if(e.variables.begin(), e.variables.end(),
                                   [](const report::Variable& v) {
                                     return absl::StrContains(v.value, '/') ||
                                            absl::StartsWith(v.name, "CONDA_");
                                   }),
                    e.variables.end());
}

}  // namespace

Gathered gather(const FileView& files, const Request& request) {
  Gathered out;
  report::Environment& e = out.environment;
  e.os = value_of(files.read("/etc/os-release", kSmallFile), "PRETTY_NAME", '=');
  e.kernel = kernel_release();
  e.cpu = value_of(files.read("/proc/cpuinfo", kSmallFile), "model name", ':');
  const std::vector<std::string> mapped = mapped_files(files.read("/proc/self/maps", kMostMaps));
  describe_python(files, mapped, files.link("/proc/self/exe"), request.python_version, e);
  e.libraries = cuda_libraries(files, mapped, e.packages);
  const GitHead head = git_head(files, files.link("/proc/self/cwd"));
  e.git_revision = head.revision;
  e.git_branch = head.branch;
  for (const report::Variable& v : request.variables)
    e.variables.push_back({v.name, v.value.substr(0, kMostValue)});
  warn_of_conda(files, request, out);
  warn_of_cupti(out);
  if (request.anonymous) hide_names(e);
  return out;
}

}  // namespace gapscope::environment
