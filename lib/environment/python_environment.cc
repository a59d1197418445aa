#include "environment/python_environment.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "environment/python_packages.h"

namespace gapscope::environment {
namespace {

constexpr std::size_t kSmallFile = 8192;
constexpr std::size_t kMostFolders = 8;

bool starts_with_digit(std::string_view text) {
  return !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
}

// "3.11" of "python3.11" and of "libpython3.11.so.1.0".
std::string version_in_name(std::string_view file) {
  std::string_view rest = file;
  if (!absl::ConsumePrefix(&rest, "libpython")) {
    if (!absl::ConsumePrefix(&rest, "python")) return {};
  }
  rest = rest.substr(0, std::min(rest.find(".so"), rest.find_first_not_of("0123456789.")));
  return starts_with_digit(rest) ? std::string(rest) : std::string();
}

// Folders of installed modules out of which something was mapped, the most used ones first seen.
std::vector<std::string> module_folders(const std::vector<std::string>& mapped) {
  std::vector<std::string> folders;
  for (const std::string& path : mapped) {
    for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
      const std::size_t at = path.find(name);
      if (at == std::string::npos) continue;
      std::string folder = path.substr(0, at + name.size() - 1);
      const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
      if (!known && folders.size() < kMostFolders) folders.push_back(std::move(folder));
    }
  }
  return folders;
}

// "/p" of "/p/lib/python3.11/site-packages".
std::string_view prefix_of(std::string_view site_packages) {
  return folder_of(folder_of(folder_of(site_packages)));
}

// A value of pyvenv.cfg: "version = 3.11.2".
std::string config_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    const std::pair<std::string_view, std::string_view> entry =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(entry.first) == key)
      return std::string(absl::StripAsciiWhitespace(entry.second));
  }
  return {};
}

// "2.11.0+cu130" of: __version__ = '2.11.0+cu130'
std::string torch_version(const FileView& files, const std::vector<std::string>& mapped) {
  for (const std::string& path : mapped) {
    if (!absl::StartsWith(file_of(path), "libtorch")) continue;
    const std::string text =
        files.read(absl::StrCat(folder_of(folder_of(path)), "/version.py"), kSmallFile);
    const std::size_t at = text.find("__version__ =");
    if (at == std::string::npos) continue;
    const std::size_t open = text.find_first_of("'\"", at);
    if (open == std::string::npos) continue;
    const std::size_t close = text.find(text[open], open + 1);
    if (close != std::string::npos && close - open < 100)
      return text.substr(open + 1, close - open - 1);
  }
  return {};
}

void find_conda(const FileView& files, std::string_view prefix, report::Environment& out) {
  if (!out.conda_prefix.empty() || prefix.empty()) return;
  if (!files.exists(absl::StrCat(prefix, "/conda-meta"))) return;
  out.conda_prefix = std::string(prefix);
  out.conda_name = file_of(folder_of(prefix)) == "envs" ? std::string(file_of(prefix)) : "base";
}

void find_virtualenv(const FileView& files, std::string_view prefix, report::Environment& out) {
  if (!out.virtualenv_prefix.empty() || prefix.empty()) return;
  const std::string config = files.read(absl::StrCat(prefix, "/pyvenv.cfg"), kSmallFile);
  if (config.empty()) return;
  out.virtualenv_prefix = std::string(prefix);
  for (const std::string_view key : {"version", "version_info"}) {
    const std::string version = config_value(config, key);
    if (absl::StrContains(out.python_version, '.') &&
        std::count(out.python_version.begin(), out.python_version.end(), '.') > 1)
      return;
    if (starts_with_digit(version)) {
      // uv and virtualenv write "3.11.2.final.0" too.
      out.python_version = version.substr(0, version.find(".final"));
    }
  }
}

bool installed_by_conda(const FileView& files, const std::string& site_packages,
                        const report::Package& package,
                        const absl::flat_hash_set<std::string>& conda) {
  if (conda.empty()) return false;
  if (conda.contains(package.name)) return true;
  // Names differ (torch, pytorch): the installer has left its name.
  for (const char* spelling : {"-", "_"}) {
    std::string name = package.name;
    std::replace(name.begin(), name.end(), '-', spelling[0]);
    const std::string by = files.read(
        absl::StrCat(site_packages, "/", name, "-", package.version, ".dist-info/INSTALLER"), 64);
    if (!by.empty()) return absl::StartsWith(by, "conda");
  }
  return false;
}

void add_packages(const FileView& files, const std::vector<std::string>& folders,
                  report::Environment& out) {
  absl::flat_hash_set<std::string> conda;
  if (!out.conda_prefix.empty()) out.packages = conda_packages(files, out.conda_prefix);
  for (const report::Package& package : out.packages) conda.insert(normal_name(package.name));
  absl::flat_hash_set<std::string> seen;
  for (const std::string& folder : folders) {
    const bool inside = !out.conda_prefix.empty() && lies_below(folder, out.conda_prefix);
    for (report::Package& package : pip_packages(files, folder)) {
      if (inside && installed_by_conda(files, folder, package, conda)) continue;
      if (seen.insert(package.name).second) out.packages.push_back(std::move(package));
    }
  }
  std::stable_sort(out.packages.begin(), out.packages.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  if (out.packages.size() > kMaxPackages) out.packages.resize(kMaxPackages);
}

}  // namespace

void describe_python(const FileView& files, const std::vector<std::string>& mapped,
                     const std::string& program, const std::string& version,
                     report::Environment& out) {
  out.python_version = version;
  std::string short_version;
  if (absl::StartsWith(file_of(program), "python")) {
    out.python_path = program;
    short_version = version_in_name(file_of(program));
  }
  for (const std::string& path : mapped) {
    if (short_version.empty() && absl::StartsWith(file_of(path), "libpython"))
      short_version = version_in_name(file_of(path));
  }
  if (out.python_version.empty()) out.python_version = short_version;
  if (out.python_version.empty()) return;  // no Python

  std::vector<std::string> folders = module_folders(mapped);
  const std::string own_prefix(folder_of(folder_of(out.python_path)));
  for (const std::string& folder : folders) find_virtualenv(files, prefix_of(folder), out);
  find_conda(files, own_prefix, out);
  for (const std::string& folder : folders) find_conda(files, prefix_of(folder), out);
  if (folders.empty() && !own_prefix.empty()) {
    folders.push_back(absl::StrCat(own_prefix, "/lib/python", short_version, "/site-packages"));
  }
  out.torch_version = torch_version(files, mapped);
  add_packages(files, folders, out);
}

}  // namespace gapscope::environment
