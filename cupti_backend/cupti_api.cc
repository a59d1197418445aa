#include "cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"

namespace gapscope::cupti {
namespace {

namespace fs = std::filesystem;

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

absl::StatusOr<CuptiApi> load_cupti(const environment::CuptiHints& hints) {
  CuptiApi api;
  void* handle = nullptr;
  const std::vector<std::string> mapped = mapped_files();
  // Never map a second copy: two in one process corrupt each other's state.
  for (const auto& file : mapped) {
    if (!absl::StrContains(file, "/libcupti.so")) continue;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle != nullptr) break;
  }
  for (const std::string_view name : environment::cupti_names()) {
    if (handle == nullptr) handle = dlopen(name.data(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  }
  if (handle == nullptr) {
    for (const auto& candidate :
         environment::cupti_candidates(environment::FileView(), hints, mapped)) {
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
