#include "cli/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "absl/status/status.h"

namespace gapscope::cli {
namespace {

constexpr std::size_t kCopyBytes = 4096;
constexpr const char* kModule =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry empty_kernel()\n{\n  ret;\n}\n";

absl::Status checked(int result, const char* call) {
  if (result == 0) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("{}: CUDA error {}", call, result));
}

}  // namespace

absl::StatusOr<CudaDriver> CudaDriver::start(int graph_nodes) {
  CudaDriver driver;
  absl::Status status = driver.find_calls();
  if (status.ok()) status = driver.set_up(graph_nodes);
  if (!status.ok()) return status;
  return driver;
}

absl::Status CudaDriver::find_calls() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return absl::UnavailableError(fmt::format("no CUDA driver on this machine: {}", dlerror()));
  }
  const char* missing = nullptr;
  const auto find = [&](auto* call, const char* name) {
    *call = reinterpret_cast<std::remove_pointer_t<decltype(call)>>(dlsym(library, name));
    if (*call == nullptr) missing = name;
  };
#define GAPSCOPE_FIND(name) find(&calls_.name, #name)
  GAPSCOPE_FIND(cuInit);
  GAPSCOPE_FIND(cuDeviceGet);
  GAPSCOPE_FIND(cuDeviceGetName);
  GAPSCOPE_FIND(cuDevicePrimaryCtxRetain);
  GAPSCOPE_FIND(cuCtxSetCurrent);
  GAPSCOPE_FIND(cuModuleLoadData);
  GAPSCOPE_FIND(cuModuleGetFunction);
  GAPSCOPE_FIND(cuStreamCreate);
  GAPSCOPE_FIND(cuStreamSynchronize);
  GAPSCOPE_FIND(cuStreamBeginCapture_v2);
  GAPSCOPE_FIND(cuStreamEndCapture);
  GAPSCOPE_FIND(cuGraphInstantiateWithFlags);
  GAPSCOPE_FIND(cuGraphLaunch);
  GAPSCOPE_FIND(cuLaunchKernel);
  GAPSCOPE_FIND(cuMemAlloc_v2);
  GAPSCOPE_FIND(cuMemAllocHost_v2);
  GAPSCOPE_FIND(cuMemcpyHtoDAsync_v2);
#undef GAPSCOPE_FIND
  if (missing == nullptr) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("the CUDA driver is too old: it has no {}", missing));
}

absl::Status CudaDriver::set_up(int graph_nodes) {
  int device = 0;
  char name[256] = {};
  Handle context = nullptr, module = nullptr, captured = nullptr;
  absl::Status status;
  const auto call = [&](int result, const char* what) { status.Update(checked(result, what)); };
#define GAPSCOPE_CALL(name, ...) \
  if (status.ok()) call(calls_.name(__VA_ARGS__), #name)
  GAPSCOPE_CALL(cuInit, 0);
  GAPSCOPE_CALL(cuDeviceGet, &device, 0);
  GAPSCOPE_CALL(cuDeviceGetName, name, sizeof(name) - 1, device);
  GAPSCOPE_CALL(cuDevicePrimaryCtxRetain, &context, device);
  GAPSCOPE_CALL(cuCtxSetCurrent, context);
  GAPSCOPE_CALL(cuModuleLoadData, &module, kModule);
  GAPSCOPE_CALL(cuModuleGetFunction, &kernel_, module, "empty_kernel");
  constexpr unsigned kNonBlocking = 1;
  GAPSCOPE_CALL(cuStreamCreate, &stream_, kNonBlocking);
  GAPSCOPE_CALL(cuMemAlloc_v2, &device_memory_, kCopyBytes);
  GAPSCOPE_CALL(cuMemAllocHost_v2, &host_memory_, kCopyBytes);
  constexpr int kThreadLocalCapture = 1;
  GAPSCOPE_CALL(cuStreamBeginCapture_v2, stream_, kThreadLocalCapture);
  for (int i = 0; i < graph_nodes && status.ok(); ++i) call(launch(), "cuLaunchKernel");
  GAPSCOPE_CALL(cuStreamEndCapture, stream_, &captured);
  GAPSCOPE_CALL(cuGraphInstantiateWithFlags, &graph_, captured, 0);
#undef GAPSCOPE_CALL
  graph_nodes_ = graph_nodes;
  gpu_ = name;
  return status;
}

// parts: of one operation.
template <typename Operation>
absl::StatusOr<double> CudaDriver::time(int operations, int parts, Operation operation) const {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < operations; ++i) {
    if (const int result = operation(); result != 0) return checked(result, "a measured call");
  }
  if (const int result = calls_.cuStreamSynchronize(stream_); result != 0) {
    return checked(result, "cuStreamSynchronize");
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / operations / parts;
}

absl::StatusOr<double> CudaDriver::launch_ns(int operations) const {
  return time(operations, 1, [this] { return launch(); });
}

absl::StatusOr<double> CudaDriver::graph_node_ns(int launches) const {
  return time(launches, graph_nodes_, [this] { return calls_.cuGraphLaunch(graph_, stream_); });
}

absl::StatusOr<double> CudaDriver::copy_ns(int operations) const {
  return time(operations, 1, [this] {
    return calls_.cuMemcpyHtoDAsync_v2(device_memory_, host_memory_, kCopyBytes, stream_);
  });
}

}  // namespace gapscope::cli
