// Links the library and calls gapscope_start, before or after the first CUDA call; run under
// CUDA_INJECTION64_PATH as well, it must be recorded once: K kernels, S steps. (The library is
// called from linked_injected_main.cc, so that no flag of the library reaches nvcc.)
#include "common.h"
#include "linked_injected.h"

__global__ void counted_kernel() {}

void launch_counted_kernels(long count) {
  for (long i = 0; i < count; ++i) counted_kernel<<<1, 32>>>();
  GPU_TEST_CHECK(cudaGetLastError());
  GPU_TEST_CHECK(cudaDeviceSynchronize());
}
