// Launches kernels that differ in what their blocks need, and prints for each what the CUDA runtime
// says of its occupancy:
//
//   {"max_warps": 64, "multiprocessors": 132, "launches": [{"kernel": "needs<0,", "blocks_per_sm":
//   8,
//     "warps_per_block": 8, "blocks": 1000, "active_clusters": 0, "cluster_blocks": 1}, ...]}
//
// "kernel" is part of the demangled name and of no other; active_clusters is 0 where no cluster was
// asked for.
#include <string>

#include "common.h"

namespace {

// Keeps kRegisters values alive, so that the compiler needs about as many registers.
template <int kCase, int kRegisters, int kStaticBytes>
__global__ void needs(float* out, int zero) {
  extern __shared__ char dynamic[];
  __shared__ char fixed[kStaticBytes > 0 ? kStaticBytes : 1];
  float values[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) values[i] = out[threadIdx.x + i * zero];
  if (zero != 0) {
    dynamic[threadIdx.x] = 1;
    fixed[threadIdx.x % sizeof fixed] = dynamic[0];
    __syncthreads();
  }
  float sum = zero != 0 ? fixed[0] : 0;
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) sum += values[i] * values[(i + 1) % kRegisters];
  if (zero != 0) out[threadIdx.x] = sum;
}

struct Launch {
  int block = 0;
  int blocks = 0;
  int dynamic_bytes = 0;
  int carveout_pct = -1;  // shared memory's share of the L1; -1: not asked for
  int cluster = 1;
};

void print(const std::string& kernel, const Launch& launch, int blocks_per_sm, int clusters,
           int registers, bool first) {
  std::printf(
      "%s{\"kernel\": \"%s\", \"blocks_per_sm\": %d, \"warps_per_block\": %d, "
      "\"blocks\": %d, \"active_clusters\": %d, \"cluster_blocks\": %d, "
      "\"registers\": %d, \"block\": %d, \"dynamic_bytes\": %d, \"carveout\": %d}",
      first ? "" : ", ", kernel.c_str(), blocks_per_sm, (launch.block + 31) / 32, launch.blocks,
      clusters, launch.cluster, registers, launch.block, launch.dynamic_bytes, launch.carveout_pct);
}

template <int kCase, int kRegisters, int kStaticBytes>
void run(float* out, const Launch& launch) {
  auto* kernel = needs<kCase, kRegisters, kStaticBytes>;
  if (launch.dynamic_bytes > 0) {
    GPU_TEST_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        launch.dynamic_bytes));
  }
  if (launch.carveout_pct >= 0) {
    GPU_TEST_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        launch.carveout_pct));
  }
  if (launch.cluster > 8) {
    GPU_TEST_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(launch.cluster);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = dim3(static_cast<unsigned>(launch.block));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.dynamic_bytes);
  config.attrs = &cluster;
  config.numAttrs = launch.cluster > 1 ? 1 : 0;
  int blocks_per_sm = 0;
  int clusters = 0;
  cudaFuncAttributes attributes{};
  GPU_TEST_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  GPU_TEST_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks_per_sm, kernel, launch.block, static_cast<std::size_t>(launch.dynamic_bytes)));
  if (launch.cluster > 1) {
    GPU_TEST_CHECK(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  }
  GPU_TEST_CHECK(cudaLaunchKernelEx(&config, kernel, out, 0));
  GPU_TEST_CHECK(cudaDeviceSynchronize());
  print("needs<" + std::to_string(kCase) + ",", launch, blocks_per_sm, clusters, attributes.numRegs,
        kCase == 0);
}

}  // namespace

int main() {
  cudaDeviceProp device{};
  GPU_TEST_CHECK(cudaGetDeviceProperties(&device, 0));
  float* out = nullptr;
  GPU_TEST_CHECK(cudaMalloc(&out, 1 << 20));
  std::printf("{\"max_warps\": %d, \"multiprocessors\": %d, \"launches\": [",
              device.maxThreadsPerMultiProcessor / 32, device.multiProcessorCount);
  constexpr int kKiB = 1024;
  run<0, 4, 0>(out, {256, 1000});
  run<1, 4, 0>(out, {32, 10000});
  run<2, 4, 0>(out, {1024, 300});
  run<3, 4, 0>(out, {96, 77});
  run<4, 4, 0>(out, {33, 5000});
  run<5, 48, 0>(out, {256, 1000});
  run<6, 96, 0>(out, {256, 1000});
  run<7, 160, 0>(out, {128, 1000});
  run<8, 220, 0>(out, {160, 500});
  run<9, 4, 8 * kKiB>(out, {128, 1000});
  run<10, 4, 40 * kKiB>(out, {128, 1000});
  run<11, 4, 0>(out, {128, 1000, 20 * kKiB});
  run<12, 4, 0>(out, {128, 1000, 47 * kKiB});
  run<13, 4, 0>(out, {256, 1000, 64 * kKiB});
  // The most that a block can have, but for what `fixed` takes.
  run<14, 4, 0>(out, {256, 200, static_cast<int>(device.sharedMemPerBlockOptin) - kKiB});
  run<15, 4, 16 * kKiB>(out, {256, 1000, 16 * kKiB});
  run<16, 4, 0>(out, {128, 1000, 20 * kKiB, 50});
  run<17, 4, 0>(out, {128, 1000, 20 * kKiB, 100});
  run<18, 4, 0>(out, {128, 1000, 20 * kKiB, 0});
  run<19, 96, 4 * kKiB>(out, {384, 132, 30 * kKiB});
  if (device.major >= 9) {
    run<20, 4, 0>(out, {256, 1024, 0, -1, 2});
    run<21, 4, 0>(out, {256, 1024, 64 * kKiB, -1, 8});
    run<22, 4, 0>(out, {1024, 1024, 100 * kKiB, -1, 16});
  }
  std::printf("]}\n");
  std::fflush(stdout);
  return 0;
}
