#include "cuda_process.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace fake_driver {
namespace {

enum class Leaves { nothing, kernel, copy, set, graph };

struct Row {
  const char* name;
  Leaves leaves;
  const char* direction;  // of copies
};

// In the order of fake_api.
constexpr Row kRows[FAKE_API_COUNT] = {
    {"cudaLaunchKernel", Leaves::kernel, ""},
    {"cudaLaunchKernel", Leaves::kernel, ""},
    {"cudaLaunchKernelExC", Leaves::kernel, ""},
    {"cudaLaunchKernelExC", Leaves::kernel, ""},
    {"cudaLaunchCooperativeKernel", Leaves::kernel, ""},
    {"cudaGraphLaunch", Leaves::graph, ""},
    {"cuMemcpyHtoD", Leaves::copy, "HtoD"},
    {"cuMemcpyDtoH", Leaves::copy, "DtoH"},
    {"cuMemcpyHtoDAsync", Leaves::copy, "HtoD"},
    {"cuMemcpyDtoHAsync", Leaves::copy, "DtoH"},
    {"cuMemcpyDtoDAsync", Leaves::copy, "DtoD"},
    {"cudaMemcpyAsync", Leaves::nothing, ""},
    {"cudaMemcpyPeerAsync", Leaves::copy, "PtoP"},
    {"cudaMemsetAsync", Leaves::set, "set"},
    {"cudaMemset", Leaves::set, "set"},
    {"cudaDeviceSynchronize", Leaves::nothing, ""},
    {"cudaStreamSynchronize", Leaves::nothing, ""},
    {"cudaEventSynchronize", Leaves::nothing, ""},
    {"cudaMalloc", Leaves::nothing, ""},
    {"cudaFree", Leaves::nothing, ""},
    {"cudaMallocAsync", Leaves::nothing, ""},
    {"cudaFreeAsync", Leaves::nothing, ""},
    {"cuModuleLoadData", Leaves::nothing, ""},
    {"cuLibraryLoadData", Leaves::nothing, ""},
    {"cudaGraphInstantiate", Leaves::nothing, ""},
    {"cudaProfilerStart", Leaves::nothing, ""},
    {"cudaProfilerStop", Leaves::nothing, ""},
};

template <typename F>
void find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
}

}  // namespace

const char* runtime_name(fake_api api) { return kRows[api].name; }

bool CudaProcess::map_cupti(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
}

void CudaProcess::init(std::uint32_t takes_ms) {
  inject();
  std::this_thread::sleep_for(std::chrono::milliseconds(takes_ms));
  if (!bind()) return;
  decltype(&::fake_cuda_up) up = nullptr;
  void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen("libcupti.so.12", RTLD_NOW | RTLD_NOLOAD);
  find(library, "fake_cuda_up", up);
  up();
}

// As the driver does it: once, inside cuInit, on the thread that called it.
void CudaProcess::inject() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return;
  int (*initialize)() = nullptr;
  find(library, "InitializeInjection", initialize);
  injected_ = initialize != nullptr && initialize() == 1;
}

// The fake libcupti, if the library or the program has mapped it.
bool CudaProcess::bind() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    find(library, "fake_call", call_);
    if (call_ == nullptr) continue;
    find(library, "fake_device_launch", device_launch_);
    find(library, "fake_overhead", overhead_);
    find(library, "fake_release_late", release_late_);
    find(library, "fake_fatal_error", fatal_error_);
    find(library, "fake_context_destroyed", context_destroyed_);
    find(library, "fake_wait_idle", wait_idle_);
    find(library, "fake_clock_stepped", clock_stepped_);
    return true;
  }
  return false;
}

fake_call_result CudaProcess::call(const fake_call_spec& spec) {
  fake_call_result result{};
  result.work.fate = FAKE_NO_RECORD;
  if (call_ == nullptr) return result;
  fake_call_spec with_times = spec;
  std::vector<fake_times> node_times(spec.node_count);
  with_times.node_times = node_times.data();
  call_(&with_times, &result);
  note(with_times, result);
  return result;
}

void CudaProcess::note(const fake_call_spec& spec, const fake_call_result& result) {
  const Row& row = kRows[spec.api];
  truth_.add_call(row.name, spec, result);
  const std::uint32_t stream = spec.stream == 0 ? 7 : spec.stream;
  const bool counted = counted_.load();
  const auto add = [&](const char* kind, const char* name, const fake_work& work,
                       const fake_times& times, bool graph) {
    truth_.add({kind, name == nullptr ? "_Z11fake_kernelPf" : name, spec.device, stream,
                times.start_ns, times.end_ns, work.bytes, result.correlation_id, times.fate,
                counted, graph, result.enter_ns});
  };
  if (row.leaves == Leaves::graph) {
    if (result.work.fate != FAKE_NO_RECORD) add("graph", "", spec.work, result.work, true);
    for (std::uint32_t i = 0; i < spec.node_count; ++i) {
      const fake_work& node = spec.nodes[i];
      add(node.is_set != 0    ? "set"
          : node.is_copy != 0 ? "copy"
                              : "kernel",
          node.is_set != 0    ? "set"
          : node.is_copy != 0 ? "DtoD"
                              : node.name,
          node, spec.node_times[i], true);
    }
    return;
  }
  if (result.work.fate == FAKE_NO_RECORD) return;
  if (row.leaves == Leaves::kernel) add("kernel", spec.work.name, spec.work, result.work, false);
  if (row.leaves == Leaves::copy) add("copy", row.direction, spec.work, result.work, false);
  if (row.leaves == Leaves::set) add("set", row.direction, spec.work, result.work, false);
}

fake_call_result CudaProcess::launch(const char* name, std::uint64_t duration_ns,
                                     std::uint64_t delay_ns, std::uint32_t stream,
                                     std::uint32_t device) {
  fake_call_spec spec{};
  spec.api = FAKE_LAUNCH_KERNEL;
  spec.device = device;
  spec.stream = stream;
  spec.stream_handle = stream == 7 ? 0 : 0x10000u + stream;
  spec.work.name = name;
  spec.work.duration_ns = duration_ns;
  spec.work.delay_ns = delay_ns;
  return call(spec);
}

fake_call_result CudaProcess::copy(fake_api api, std::uint64_t bytes, std::uint64_t duration_ns,
                                   std::uint32_t stream, std::uint32_t device) {
  fake_call_spec spec{};
  spec.api = api;
  spec.device = device;
  spec.stream = stream;
  spec.stream_handle = stream == 7 ? 0 : 0x10000u + stream;
  spec.work.bytes = bytes;
  spec.work.duration_ns = duration_ns;
  return call(spec);
}

fake_call_result CudaProcess::simple(fake_api api, std::uint64_t host_ns) {
  fake_call_spec spec{};
  spec.api = api;
  spec.host_ns = host_ns;
  return call(spec);
}

void CudaProcess::device_launch(const char* name, std::uint64_t duration_ns) {
  if (device_launch_ == nullptr) return;
  fake_call_spec spec{};
  spec.work.name = name;
  spec.work.duration_ns = duration_ns;
  fake_times times{};
  device_launch_(&spec, &times);
  truth_.add({"kernel", name, 0, 7, times.start_ns, times.end_ns, 0, 0, times.fate, counted_.load(),
              true, times.start_ns});
}

void CudaProcess::overhead(std::uint32_t kind, std::uint64_t start_ns, std::uint64_t end_ns) {
  if (overhead_ != nullptr) overhead_(kind, start_ns, end_ns);
}

std::uint32_t CudaProcess::release_late() { return release_late_ == nullptr ? 0 : release_late_(); }

void CudaProcess::fatal_error() {
  if (fatal_error_ != nullptr) fatal_error_("scripted fatal error");
}

void CudaProcess::context_destroyed(std::uint32_t context) {
  if (context_destroyed_ != nullptr) context_destroyed_(context);
}

void CudaProcess::wait_idle() {
  if (wait_idle_ != nullptr) wait_idle_();
}

void CudaProcess::clock_stepped(std::int64_t step_ns) {
  if (clock_stepped_ != nullptr) clock_stepped_(step_ns);
}

}  // namespace fake_driver
