#include "environment/cuda_libraries.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "environment/elf_soname.h"

namespace gapscope::environment {
namespace {

struct Known {
  std::string_view file;   // up to ".so"
  std::string_view name;   // for people
  std::string_view wheel;  // of NVIDIA's on PyPI, without a "-cu12" behind it; "" if none
};

constexpr std::array<Known, 18> kKnown = {{
    {"libcuda", "CUDA driver", ""},
    {"libcudart", "CUDA runtime", "nvidia-cuda-runtime"},
    {"libcupti", "CUPTI", "nvidia-cuda-cupti"},
    {"libnvidia-ml", "NVML", ""},
    {"libcublas", "cuBLAS", "nvidia-cublas"},
    {"libcublasLt", "cuBLASLt", "nvidia-cublas"},
    {"libcudnn", "cuDNN", "nvidia-cudnn"},
    {"libcufft", "cuFFT", "nvidia-cufft"},
    {"libcufile", "cuFile", "nvidia-cufile"},
    {"libcurand", "cuRAND", "nvidia-curand"},
    {"libcusolver", "cuSOLVER", "nvidia-cusolver"},
    {"libcusparse", "cuSPARSE", "nvidia-cusparse"},
    {"libcusparseLt", "cuSPARSELt", "nvidia-cusparselt"},
    {"libnccl", "NCCL", "nvidia-nccl"},
    {"libnvJitLink", "nvJitLink", "nvidia-nvjitlink"},
    {"libnvrtc", "NVRTC", "nvidia-cuda-nvrtc"},
    {"libnvshmem_host", "NVSHMEM", "nvidia-nvshmem"},
    {"libnvToolsExt", "NVTX 2", "nvidia-nvtx"},
}};

// What stands behind "NAME.so" in the file's name, without the dot; nothing when it is another.
bool is_file_of(const Known& known, std::string_view file, std::string_view* version) {
  if (!absl::ConsumePrefix(&file, known.file) || !absl::ConsumePrefix(&file, ".so")) return false;
  if (!file.empty() && !absl::ConsumePrefix(&file, ".")) return false;
  *version = file;
  return true;
}

// The wheel's version, when the file lies in a Python package folder and one such wheel is there.
std::string wheel_version(const Known& known, std::string_view path,
                          const std::vector<report::Package>& packages) {
  if (known.wheel.empty() || !absl::StrContains(path, "-packages/")) return {};
  std::string version;
  for (const report::Package& package : packages) {
    std::string_view rest = package.name;
    if (!absl::ConsumePrefix(&rest, known.wheel)) continue;
    if (!rest.empty() && !absl::StartsWith(rest, "-cu")) continue;
    if (!version.empty() && version != package.version) return {};
    version = package.version;
  }
  return version;
}

std::string version_of(const Known& known, std::string_view in_name, const std::string& path,
                       const std::string& soname, const std::vector<report::Package>& packages) {
  if (absl::StrContains(in_name, '.')) return std::string(in_name);
  if (std::string wheel = wheel_version(known, path, packages); !wheel.empty()) return wheel;
  if (!in_name.empty()) return std::string(in_name);
  const std::size_t at = soname.find(".so.");
  return at == std::string::npos ? std::string() : soname.substr(at + 4);
}

}  // namespace

std::vector<report::Library> cuda_libraries(const FileView& files,
                                            const std::vector<std::string>& mapped,
                                            const std::vector<report::Package>& packages) {
  constexpr std::size_t kMost = 200;
  std::vector<report::Library> libraries;
  for (const std::string& path : mapped) {
    for (const Known& known : kKnown) {
      std::string_view in_name;
      if (!is_file_of(known, file_of(path), &in_name) || libraries.size() >= kMost) continue;
      report::Library library;
      library.name = std::string(known.name);
      library.path = path;
      library.soname = elf_soname(files, path);
      library.version = version_of(known, in_name, path, library.soname, packages);
      libraries.push_back(std::move(library));
    }
  }
  std::sort(libraries.begin(), libraries.end(), [](const auto& a, const auto& b) {
    return a.name != b.name ? a.name < b.name : a.path < b.path;
  });
  return libraries;
}

int major_version(const report::Library& library) {
  constexpr std::string_view kSo = ".so.";
  const std::size_t at = library.soname.find(kSo);
  int major = -1;
  if (at == std::string::npos) return major;
  const char* begin = library.soname.data() + at + kSo.size();
  std::from_chars(begin, library.soname.data() + library.soname.size(), major);
  return major;
}

}  // namespace gapscope::environment
