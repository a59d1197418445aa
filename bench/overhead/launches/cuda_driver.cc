#include "cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace bench {
namespace {

// cuda.h renames functions to their versions (cuMemAlloc is cuMemAlloc_v2): the name that fits the
// declaration is the expanded one.
#define BENCH_TEXT(name) #name
#define BENCH_EXPANDED(name) BENCH_TEXT(name)
#define BENCH_FIND(library, name, member) find(library, BENCH_EXPANDED(name), &driver.member)

template <typename F>
void find(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, name));
  if (*function == nullptr) throw std::runtime_error(fmt::format("libcuda has no {}", name));
}

}  // namespace

CudaDriver load_cuda_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw std::runtime_error(fmt::format("no CUDA driver: {}", dlerror()));
  CudaDriver driver;
  BENCH_FIND(library, cuInit, init);
  BENCH_FIND(library, cuDeviceGet, device_get);
  BENCH_FIND(library, cuDevicePrimaryCtxRetain, primary_context_retain);
  BENCH_FIND(library, cuCtxSetCurrent, context_set_current);
  BENCH_FIND(library, cuCtxSynchronize, context_synchronize);
  BENCH_FIND(library, cuModuleLoadData, module_load_data);
  BENCH_FIND(library, cuModuleGetFunction, module_get_function);
  BENCH_FIND(library, cuStreamCreate, stream_create);
  BENCH_FIND(library, cuStreamDestroy, stream_destroy);
  BENCH_FIND(library, cuStreamSynchronize, stream_synchronize);
  BENCH_FIND(library, cuStreamBeginCapture, stream_begin_capture);
  BENCH_FIND(library, cuStreamEndCapture, stream_end_capture);
  BENCH_FIND(library, cuLaunchKernel, launch_kernel);
  BENCH_FIND(library, cuGraphInstantiateWithFlags, graph_instantiate);
  BENCH_FIND(library, cuGraphLaunch, graph_launch);
  BENCH_FIND(library, cuMemAlloc, memory_allocate);
  BENCH_FIND(library, cuMemAllocHost, memory_allocate_host);
  BENCH_FIND(library, cuMemcpyHtoDAsync, copy_to_device);
  BENCH_FIND(library, cuEventCreate, event_create);
  BENCH_FIND(library, cuEventRecord, event_record);
  BENCH_FIND(library, cuEventQuery, event_query);
  return driver;
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error(fmt::format("{}: CUDA error {}", what, static_cast<int>(result)));
  }
}

}  // namespace bench
