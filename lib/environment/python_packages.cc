#include "environment/python_packages.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gapscope::environment {
namespace {

constexpr std::size_t kMaxEntries = 20000;

void sort_by_name(std::vector<report::Package>& packages) {
  std::stable_sort(packages.begin(), packages.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  if (packages.size() > kMaxPackages) packages.resize(kMaxPackages);
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != '.') {
      out += absl::ascii_tolower(static_cast<unsigned char>(c));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  return out;
}

std::vector<report::Package> pip_packages(const FileView& files, std::string_view site_packages) {
  std::vector<report::Package> packages;
  for (const std::string& entry : files.list(site_packages, kMaxEntries)) {
    std::string_view name = entry;
    if (!absl::ConsumeSuffix(&name, ".dist-info")) continue;
    const std::size_t dash = name.rfind('-');  // a version holds none
    if (dash == std::string_view::npos || dash == 0) continue;
    packages.push_back(
        {normal_name(name.substr(0, dash)), std::string(name.substr(dash + 1)), "pip", ""});
  }
  sort_by_name(packages);
  return packages;
}

std::vector<report::Package> conda_packages(const FileView& files, std::string_view prefix) {
  std::vector<report::Package> packages;
  for (const std::string& entry : files.list(absl::StrCat(prefix, "/conda-meta"), kMaxEntries)) {
    std::string_view name = entry;
    if (!absl::ConsumeSuffix(&name, ".json")) continue;
    const std::size_t build = name.rfind('-');
    if (build == std::string_view::npos || build == 0) continue;
    const std::size_t version = name.rfind('-', build - 1);
    if (version == std::string_view::npos || version == 0) continue;
    packages.push_back({std::string(name.substr(0, version)),
                        std::string(name.substr(version + 1, build - version - 1)), "conda",
                        std::string(name.substr(build + 1))});
  }
  sort_by_name(packages);
  return packages;
}

}  // namespace gapscope::environment
