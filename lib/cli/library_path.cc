#include "cli/library_path.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gapscope::cli {
namespace fs = std::filesystem;

std::vector<std::string> library_candidates(const std::string& program_folder) {
  constexpr const char* kName = "libgapscope.so";
  const fs::path here = program_folder;
  std::vector<std::string> out = {(here / kName).string()};
  for (const char* folder : {"lib", "lib64"}) {
    out.push_back((here.parent_path() / folder / kName).string());
  }
  // Debian and its descendants: lib/<architecture>-linux-gnu.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(here.parent_path() / "lib", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find("-linux-gnu") != std::string::npos)
      out.push_back((entry.path() / kName).string());
  }
  return out;
}

absl::StatusOr<std::string> find_library() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return absl::NotFoundError("cannot find libgapscope.so: /proc is not mounted");
  const auto candidates = library_candidates(program.parent_path().string());
  for (const std::string& path : candidates) {
    if (fs::is_regular_file(path, error)) return path;
  }
  return absl::NotFoundError(absl::StrCat("cannot find libgapscope.so (looked for ",
                                          absl::StrJoin(candidates, ", "),
                                          "); name it with --library"));
}

}  // namespace gapscope::cli
