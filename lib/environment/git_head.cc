#include "environment/git_head.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gapscope::environment {
namespace {

constexpr std::size_t kSmallFile = 4096;
constexpr std::size_t kPackedRefs = 4u << 20;
constexpr int kMostLevels = 64;

std::string line_of(const FileView& files, const std::string& path) {
  const std::string text = files.read(path, kSmallFile);
  return std::string(absl::StripAsciiWhitespace(text.substr(0, text.find('\n'))));
}

bool is_revision(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

std::string absolute(std::string_view path, std::string_view folder) {
  return absl::StartsWith(path, "/") ? std::string(path) : absl::StrCat(folder, "/", path);
}

// The folder of the repository's own files, of the nearest repository around folder.
std::string git_folder(const FileView& files, std::string_view folder) {
  for (int level = 0; level < kMostLevels; ++level) {
    const std::string git = absl::StrCat(folder, "/.git");
    if (files.exists(absl::StrCat(git, "/HEAD"))) return git;
    // A worktree or a submodule: a file that says where they are.
    const std::string pointer = line_of(files, git);
    std::string_view target = pointer;
    if (absl::ConsumePrefix(&target, "gitdir: ")) return absolute(target, folder);
    if (folder.empty()) break;
    folder = folder_of(folder);
  }
  return {};
}

std::string packed(const FileView& files, const std::string& common, std::string_view reference) {
  const std::string text = files.read(absl::StrCat(common, "/packed-refs"), kPackedRefs);
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.substr(blank + 1) != reference) continue;
    if (is_revision(line.substr(0, blank))) return std::string(line.substr(0, blank));
  }
  return {};
}

}  // namespace

GitHead git_head(const FileView& files, std::string_view folder) {
  GitHead head;
  const std::string git = git_folder(files, folder);
  if (git.empty()) return head;
  const std::string line = line_of(files, git + "/HEAD");
  std::string_view reference = line;
  if (!absl::ConsumePrefix(&reference, "ref: ")) {
    if (is_revision(line)) head.revision = line;
    return head;
  }
  if (absl::StrContains(reference, "..")) return head;
  head.branch = std::string(absl::StripPrefix(reference, "refs/heads/"));
  const std::string shared = line_of(files, git + "/commondir");
  const std::string common = shared.empty() ? git : absolute(shared, git);
  for (const std::string& place : {git, common}) {
    const std::string loose = line_of(files, absl::StrCat(place, "/", reference));
    if (is_revision(loose)) {
      head.revision = loose;
      return head;
    }
  }
  head.revision = packed(files, common, reference);
  return head;
}

}  // namespace gapscope::environment
