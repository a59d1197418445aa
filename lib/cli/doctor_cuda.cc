#include "cli/doctor_cuda.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gapscope::cli {
namespace {

constexpr const char* kInjection[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
constexpr const char* kDriverLibrary = "libcuda.so.1";

template <class... Arguments>
using Call = int (*)(Arguments...);

template <class Function>
bool find(void* driver, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(driver, name));
  return function != nullptr;
}

std::string name_of(void* driver, int result) {
  Call<int, const char**> get_name = nullptr;
  const char* name = nullptr;
  if (find(driver, "cuGetErrorName", get_name) && get_name(result, &name) == 0 && name != nullptr)
    return name;
  return "CUDA error";
}

}  // namespace

std::string driver_answer_text() {
  for (const char* name : kInjection) unsetenv(name);
  void* driver = dlopen(kDriverLibrary, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return dlerror();
  Call<int*> get_version = nullptr, get_count = nullptr;
  Call<unsigned> init = nullptr;
  if (!find(driver, "cuDriverGetVersion", get_version) || !find(driver, "cuInit", init) ||
      !find(driver, "cuDeviceGetCount", get_count)) {
    return absl::StrCat(kDriverLibrary, " is no CUDA driver");
  }
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(init), &info) != 0;
  int version = 0, devices = 0;
  get_version(&version);
  const int result = init(0);
  if (result == 0) get_count(&devices);
  return absl::StrCat("driver\n", known ? info.dli_fname : kDriverLibrary, "\n", version, "\n",
                      result, "\n", name_of(driver, result), "\n", devices);
}

bool parse_driver_answer(const std::string& text, DriverAnswer& out) {
  const std::vector<std::string> parts = absl::StrSplit(text, '\n');
  if (parts.size() != 6 || parts[0] != "driver") return false;
  out.path = parts[1];
  out.init_error = parts[4];
  return absl::SimpleAtoi(parts[2], &out.cuda_version) &&
         absl::SimpleAtoi(parts[3], &out.init_result) && absl::SimpleAtoi(parts[5], &out.devices);
}

std::string copy_under_injection(const std::string& library, const std::string& cupti_path,
                                 const std::string& report_path) {
  const std::pair<const char*, const char*> variables[] = {
      {"CUDA_INJECTION64_PATH", library.c_str()},
      {"GAPSCOPE_CUPTI_PATH", cupti_path.c_str()},
      {"GAPSCOPE_REPORT", report_path.c_str()},
      {"GAPSCOPE_QUIET", "1"},
      {"GAPSCOPE_SNAPSHOT", "0"},
      {"GAPSCOPE_ENABLED", "1"},
      {"GAPSCOPE_CAPTURE", "all"}};
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  // Files that the user's own run is to write.
  for (const char* name : {"GAPSCOPE_RECORD", "GAPSCOPE_TRACE", "GAPSCOPE_HTML", "GAPSCOPE_OUTPUT"})
    unsetenv(name);
  void* driver = dlopen(kDriverLibrary, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return dlerror();
  Call<unsigned> init = nullptr;
  Call<int*, int> get_device = nullptr;
  Call<void**, int> retain = nullptr;
  Call<void*> set_current = nullptr;
  Call<std::uint64_t*, std::size_t> allocate = nullptr;
  Call<std::uint64_t, const void*, std::size_t, void*> copy = nullptr;
  Call<> synchronize = nullptr;
  if (!find(driver, "cuInit", init) || !find(driver, "cuDeviceGet", get_device) ||
      !find(driver, "cuDevicePrimaryCtxRetain", retain) ||
      !find(driver, "cuCtxSetCurrent", set_current) || !find(driver, "cuMemAlloc_v2", allocate) ||
      !find(driver, "cuMemcpyHtoDAsync_v2", copy) ||
      !find(driver, "cuCtxSynchronize", synchronize)) {
    return absl::StrCat(kDriverLibrary, " lacks calls of CUDA's");
  }
  int device = 0;
  void* context = nullptr;
  std::uint64_t memory = 0;
  const std::vector<char> bytes(4096);
  int result = init(0);
  if (result == 0) result = get_device(&device, 0);
  if (result == 0) result = retain(&context, device);
  if (result == 0) result = set_current(context);
  if (result == 0) result = allocate(&memory, bytes.size());
  if (result == 0) result = copy(memory, bytes.data(), bytes.size(), nullptr);
  if (result == 0) result = synchronize();
  if (result != 0) return name_of(driver, result);
  // The copy that the driver has loaded; without one nothing was recorded, which the report shows.
  void* own = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  Call<> stop = nullptr;
  if (own != nullptr && find(own, "gapscope_stop", stop)) stop();
  return "";
}

}  // namespace gapscope::cli
