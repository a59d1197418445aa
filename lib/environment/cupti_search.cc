#include "environment/cupti_search.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gapscope::environment {
namespace {

// A driver runs any of them that is not newer than itself.
constexpr std::string_view kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                       "libcupti.so"};
constexpr std::size_t kMostNames = 4096;

void add_folder(std::string_view folder, std::vector<std::string>& out) {
  if (folder.empty()) return;
  for (const std::string_view name : kNames) out.push_back(absl::StrCat(folder, "/", name));
}

// The major version of the CUDA runtime that the process has mapped, 0 if none.
int runtime_major(const std::vector<std::string>& files) {
  constexpr std::string_view kRuntime = "/libcudart.so.";
  for (const std::string& file : files) {
    const std::size_t at = file.rfind(kRuntime);
    if (at != std::string::npos) return std::atoi(file.c_str() + at + kRuntime.size());
  }
  return 0;
}

void add_hint(const FileView& files, const std::string& path, std::vector<std::string>& out) {
  if (path.empty()) return;
  if (files.exists(absl::StrCat(path, "/."))) {
    add_folder(path, out);
  } else {
    out.push_back(path);
  }
}

// Wheels put the runtime into .../nvidia/cuda_runtime/lib or .../nvidia/cu13/lib and CUPTI beside
// it or into .../nvidia/cuda_cupti/lib; a toolkit has extras/CUPTI/lib64 above its lib64.
void add_beside_runtime(const std::vector<std::string>& mapped, std::vector<std::string>& out) {
  for (const std::string& file : mapped) {
    if (!absl::StrContains(file, "/libcudart.so") && !absl::StrContains(file, "/libnvrtc.so")) {
      continue;
    }
    const std::string_view folder = folder_of(file);
    add_folder(folder, out);
    add_folder(absl::StrCat(folder_of(folder_of(folder)), "/cuda_cupti/lib"), out);
    add_folder(absl::StrCat(folder_of(folder), "/extras/CUPTI/lib64"), out);
  }
}

void add_toolkits(const FileView& files, const std::string& cuda_home,
                  std::vector<std::string>& out) {
  std::vector<std::string> homes;
  if (!cuda_home.empty()) homes.push_back(cuda_home);
  homes.emplace_back("/usr/local/cuda");
  std::vector<std::string> versioned;
  for (const std::string& name : files.list("/usr/local", kMostNames)) {
    if (absl::StartsWith(name, "cuda-")) versioned.push_back(absl::StrCat("/usr/local/", name));
  }
  std::sort(versioned.rbegin(), versioned.rend());
  homes.insert(homes.end(), versioned.begin(), versioned.end());
  for (const std::string& home : homes) {
    add_folder(absl::StrCat(home, "/lib64"), out);
    add_folder(absl::StrCat(home, "/lib"), out);
    add_folder(absl::StrCat(home, "/extras/CUPTI/lib64"), out);
  }
}

}  // namespace

std::vector<std::string_view> cupti_names() { return {std::begin(kNames), std::end(kNames)}; }

std::vector<std::string> cupti_candidates(const FileView& files, const CuptiHints& hints,
                                          const std::vector<std::string>& mapped) {
  std::vector<std::string> out;
  add_hint(files, hints.cupti_path, out);
  add_beside_runtime(mapped, out);
  add_toolkits(files, hints.cuda_home, out);
  for (const std::string_view name : kNames) out.emplace_back(name);
  // The version that fits the loaded runtime first; the order is kept otherwise.
  if (const int major = runtime_major(mapped); major > 0) {
    const std::string suffix = absl::StrCat("libcupti.so.", major);
    const std::ptrdiff_t pinned = hints.cupti_path.empty() ? 0 : 1;
    std::stable_partition(out.begin() + pinned, out.end(), [&suffix](const std::string& path) {
      return absl::EndsWith(path, suffix);
    });
  }
  return out;
}

std::vector<std::string> cupti_wheels(const FileView& files, std::string_view site_packages) {
  std::vector<std::string> found;
  const std::string nvidia = absl::StrCat(site_packages, "/nvidia");
  for (const std::string& package : files.list(nvidia, kMostNames)) {
    for (const std::string_view name : kNames) {
      std::string path = absl::StrCat(nvidia, "/", package, "/lib/", name);
      if (files.exists(path)) found.push_back(std::move(path));
    }
  }
  return found;
}

}  // namespace gapscope::environment
