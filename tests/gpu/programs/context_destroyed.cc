// Two contexts of the driver's interface, each with kernels of its own; the first is destroyed
// while the second goes on, then the second, then the program returns.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kKernels = 500;

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "context_destroyed: %s: error %d\n", what, static_cast<int>(status));
  std::exit(1);
}

constexpr const char* kModule =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry driver_kernel()\n{\n  ret;\n}\n";

CUcontext make_context(CUdevice device) {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  check(cuCtxCreate(&context, nullptr, 0, device), "cuCtxCreate");
#else
  check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
#endif
  return context;
}

void launch(CUcontext context) {
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  check(cuModuleLoadData(&module, kModule), "cuModuleLoadData");
  check(cuModuleGetFunction(&kernel, module, "driver_kernel"), "cuModuleGetFunction");
  for (int i = 0; i < kKernels; ++i) {
    check(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
          "cuLaunchKernel");
  }
  check(cuCtxSynchronize(), "cuCtxSynchronize");
}

}  // namespace

int main() {
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  const CUcontext first = make_context(device);
  launch(first);
  const CUcontext second = make_context(device);
  launch(second);
  check(cuCtxDestroy(first), "cuCtxDestroy");
  launch(second);
  check(cuCtxDestroy(second), "cuCtxDestroy");
  std::printf("{\"kernels\": %d}\n", 3 * kKernels);
  std::fflush(stdout);
  return 0;
}
