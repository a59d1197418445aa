#include "environment/mapped_files.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gapscope::environment {

std::vector<std::string> mapped_files(std::string_view maps) {
  constexpr std::size_t kMostFiles = 8192;
  std::vector<std::string> files;
  absl::flat_hash_set<std::string> seen;
  for (const std::string_view line : absl::StrSplit(maps, '\n', absl::SkipEmpty())) {
    // Five fields without a slash come before the path: address, rights, offset, device, inode.
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos || files.size() >= kMostFiles) continue;
    const std::string_view path = absl::StripSuffix(line.substr(slash), " (deleted)");
    if (absl::StartsWith(path, "/dev/") || absl::StartsWith(path, "/memfd:")) continue;
    if (seen.emplace(path).second) files.emplace_back(path);
  }
  return files;
}

}  // namespace gapscope::environment
