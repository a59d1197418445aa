#include "cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"

namespace gapscope::cupti {
namespace {

namespace fs = std::filesystem;

// Newest first; a driver runs any of them that is not newer than itself.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                  "libcupti.so"};

std::vector<std::string> mapped_files() {
  std::vector<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    std::string file = line.substr(slash);
    if (files.empty() || files.back() != file) files.push_back(std::move(file));
  }
  return files;
}

void add_folder(const std::string& folder, std::vector<std::string>* out) {
  if (folder.empty()) return;
  for (const char* name : kNames) out->push_back(folder + "/" + name);
}

// The major version of the CUDA runtime that the process has mapped, 0 if none.
int runtime_major(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    const auto at = file.rfind("/libcudart.so.");
    if (at != std::string::npos) return std::atoi(file.c_str() + at + 14);
  }
  return 0;
}

template <typename F>
bool resolve(void* handle, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(handle, name));
  return *function != nullptr;
}

bool resolve_all(void* h, CuptiApi* api) {
  resolve(h, "cuptiSubscribe_v2", &api->subscribe_v2);
  resolve(h, "cuptiActivitySetAttribute", &api->activity_set_attribute);
  resolve(h, "cuptiGetTimestamp", &api->get_timestamp);
  resolve(h, "cuptiGetResultString", &api->get_result_string);
  resolve(h, "cuptiSetThreadIdType", &api->set_thread_id_type);
  return resolve(h, "cuptiGetVersion", &api->get_version) &&
         resolve(h, "cuptiSubscribe", &api->subscribe) &&
         resolve(h, "cuptiUnsubscribe", &api->unsubscribe) &&
         resolve(h, "cuptiEnableCallback", &api->enable_callback) &&
         resolve(h, "cuptiActivityEnable", &api->activity_enable) &&
         resolve(h, "cuptiActivityDisable", &api->activity_disable) &&
         resolve(h, "cuptiActivityRegisterCallbacks", &api->activity_register_callbacks) &&
         resolve(h, "cuptiActivityFlushAll", &api->activity_flush_all) &&
         resolve(h, "cuptiActivityGetNextRecord", &api->activity_get_next_record) &&
         resolve(h, "cuptiActivityGetNumDroppedRecords", &api->activity_get_num_dropped_records);
}

std::string path_of(void* symbol, const std::string& fallback) {
  Dl_info info{};
  if (dladdr(symbol, &info) != 0 && info.dli_fname != nullptr) return info.dli_fname;
  return fallback;
}

}  // namespace

std::string CuptiApi::result_text(CUptiResult result) const {
  const char* text = nullptr;
  if (get_result_string != nullptr && get_result_string(result, &text) == CUPTI_SUCCESS &&
      text != nullptr) {
    return fmt::format("{} ({})", text, static_cast<int>(result));
  }
  return fmt::format("CUPTI error {}", static_cast<int>(result));
}

std::vector<std::string> cupti_candidates(const LoadHints& hints,
                                          const std::vector<std::string>& mapped) {
  std::vector<std::string> out;
  if (!hints.cupti_path.empty()) {
    std::error_code ignored;
    if (fs::is_directory(hints.cupti_path, ignored)) {
      add_folder(hints.cupti_path, &out);
    } else {
      out.push_back(hints.cupti_path);
    }
  }
  // Wheels put the runtime into .../nvidia/cuda_runtime/lib or .../nvidia/cu13/lib and CUPTI beside
  // it or into .../nvidia/cuda_cupti/lib; a toolkit has extras/CUPTI/lib64 above its lib64.
  for (const auto& file : mapped) {
    if (!absl::StrContains(file, "/libcudart.so") && !absl::StrContains(file, "/libnvrtc.so")) {
      continue;
    }
    const fs::path folder = fs::path(file).parent_path();
    add_folder(folder.string(), &out);
    add_folder((folder.parent_path().parent_path() / "cuda_cupti" / "lib").string(), &out);
    add_folder((folder.parent_path() / "extras" / "CUPTI" / "lib64").string(), &out);
  }
  std::vector<std::string> homes;
  if (!hints.cuda_home.empty()) homes.push_back(hints.cuda_home);
  homes.push_back("/usr/local/cuda");
  std::error_code error;
  std::vector<std::string> versioned;
  for (const auto& entry : fs::directory_iterator("/usr/local", error)) {
    const std::string name = entry.path().string();
    if (absl::StartsWith(name, "/usr/local/cuda-")) versioned.push_back(name);
  }
  std::sort(versioned.rbegin(), versioned.rend());
  homes.insert(homes.end(), versioned.begin(), versioned.end());
  for (const auto& home : homes) {
    add_folder(home + "/lib64", &out);
    add_folder(home + "/lib", &out);
    add_folder(home + "/extras/CUPTI/lib64", &out);
  }
  for (const char* name : kNames) out.emplace_back(name);
  // The version that fits the loaded runtime first; the order is kept otherwise.
  if (const int major = runtime_major(mapped); major > 0) {
    const std::string suffix = fmt::format("libcupti.so.{}", major);
    const std::size_t pinned = hints.cupti_path.empty() ? 0 : std::min<std::size_t>(1, out.size());
    std::stable_partition(out.begin() + static_cast<std::ptrdiff_t>(pinned), out.end(),
                          [&](const std::string& c) { return absl::EndsWith(c, suffix); });
  }
  return out;
}

absl::StatusOr<CuptiApi> load_cupti(const LoadHints& hints) {
  CuptiApi api;
  void* handle = nullptr;
  const std::vector<std::string> mapped = mapped_files();
  // Never map a second copy: two in one process corrupt each other's state.
  for (const auto& file : mapped) {
    if (!absl::StrContains(file, "/libcupti.so")) continue;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle != nullptr) break;
  }
  for (const char* name : kNames) {
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  }
  if (handle == nullptr) {
    for (const auto& candidate : cupti_candidates(hints, mapped)) {
      std::error_code ignored;
      if (candidate.front() == '/' && !fs::exists(candidate, ignored)) continue;
      handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      if (handle != nullptr) break;
    }
  }
  if (handle == nullptr) {
    return absl::NotFoundError(
        "no libcupti.so.13, .12 or .11.8 found: install the CUDA toolkit or the package "
        "nvidia-cuda-cupti, or set GAPSCOPE_CUPTI_PATH to its folder");
  }
  if (!resolve_all(handle, &api)) {
    return absl::FailedPreconditionError("the libcupti found lacks functions that are needed: " +
                                         path_of(reinterpret_cast<void*>(api.get_version), "?"));
  }
  api.path = path_of(reinterpret_cast<void*>(api.activity_enable), "libcupti.so");
  api.get_version(&api.version);
  return api;
}

}  // namespace gapscope::cupti
