// A libcuda.so.1 with the calls of bench_launches and no GPU behind them. cuInit loads what
// CUDA_INJECTION64_PATH names, as the driver does; launches and copies go to the fake libcupti that
// the injected library has mapped, so that callbacks fire and records are made.
#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fake_cupti_control.h"

#define FAKE_CUDA extern "C" __attribute__((visibility("default")))

namespace {

constexpr unsigned kNodeNs = 100;

decltype(&::fake_call) g_call = nullptr;
std::atomic<std::uint32_t> g_streams{10};
// A stream under capture by this thread, and how many launches it has captured.
thread_local CUstream t_capturing = nullptr;
thread_local std::uintptr_t t_captured = 0;

template <typename T>
T handle(std::uintptr_t value) {
  return reinterpret_cast<T>(value);
}

CUresult call(fake_api api, CUstream stream, const std::vector<fake_work>& nodes = {}) {
  if (g_call == nullptr) return CUDA_SUCCESS;
  fake_call_spec spec{};
  spec.api = api;
  spec.stream = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream));
  spec.stream_handle = reinterpret_cast<std::uintptr_t>(stream);
  spec.captured = t_capturing != nullptr;
  spec.work.name = "empty_kernel";
  spec.work.duration_ns = kNodeNs;
  spec.work.bytes = 4096;
  spec.work.pinned = 1;
  spec.nodes = nodes.data();
  spec.node_count = static_cast<std::uint32_t>(nodes.size());
  spec.graph = 1;
  std::vector<fake_times> times(nodes.size());
  spec.node_times = times.data();
  g_call(&spec, nullptr);
  return CUDA_SUCCESS;
}

void bind_to_cupti() {
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (cupti == nullptr) return;
  g_call = reinterpret_cast<decltype(g_call)>(dlsym(cupti, "fake_call"));
  if (const auto up = reinterpret_cast<void (*)()>(dlsym(cupti, "fake_cuda_up"))) up();
}

}  // namespace

FAKE_CUDA CUresult cuInit(unsigned) {
  if (const char* path = std::getenv("CUDA_INJECTION64_PATH")) {
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void* start = library == nullptr ? nullptr : dlsym(library, "InitializeInjection");
    if (start != nullptr) reinterpret_cast<int (*)()>(start)();
  }
  bind_to_cupti();
  return CUDA_SUCCESS;
}

FAKE_CUDA CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake H200");
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = handle<CUcontext>(1);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
FAKE_CUDA CUresult cuCtxSynchronize() { return call(FAKE_CTX_SYNCHRONIZE, nullptr); }
FAKE_CUDA CUresult cuModuleLoadData(CUmodule* module, const void*) {
  *module = handle<CUmodule>(1);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  *function = handle<CUfunction>(1);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = handle<CUstream>(g_streams.fetch_add(1));
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
FAKE_CUDA CUresult cuStreamSynchronize(CUstream stream) {
  return call(FAKE_STREAM_SYNCHRONIZE, stream);
}
FAKE_CUDA CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  t_capturing = stream;
  t_captured = 0;
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  t_capturing = nullptr;
  *graph = handle<CUgraph>(t_captured);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                               unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(graph);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  fake_work node{};
  node.name = "empty_kernel";
  node.duration_ns = kNodeNs;
  return call(FAKE_GRAPH_LAUNCH, stream,
              std::vector<fake_work>(reinterpret_cast<std::uintptr_t>(executable), node));
}
FAKE_CUDA CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, CUstream stream, void**, void**) {
  if (t_capturing != nullptr) ++t_captured;
  return call(FAKE_LAUNCH_KERNEL, stream);
}
FAKE_CUDA CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t) {
  *memory = 4096;
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void*, std::size_t, CUstream stream) {
  return call(FAKE_MEMCPY_HTOD_ASYNC, stream);
}
FAKE_CUDA CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = handle<CUevent>(1);
  return CUDA_SUCCESS;
}
FAKE_CUDA CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
FAKE_CUDA CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }
