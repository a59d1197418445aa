#include "occupancy.h"

#include <cuda_occupancy.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace gapscope::cupti {
namespace {

static_assert(offsetof(CUpti_ActivityKernel9, isSharedMemoryCarveoutRequested) == 137);
static_assert(offsetof(CUpti_ActivityKernel9, clusterX) == 176);
static_assert(offsetof(CUpti_ActivityKernel9, maxActiveClusters) == 204);

// From 12.2 on kernel records hold maxActiveClusters for sure; 11.8, whose records are shorter,
// says the same version as 12.0.
constexpr std::uint32_t kClustersVersion = 20;

// What the driver takes of each block's shared memory from compute capability 8.0 on.
constexpr std::uint32_t kReservedSharedBytes = 1024;

template <typename T>
std::uint16_t narrow(T value) {
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(value, 0, 0xffff));
}

cudaOccDeviceProp properties(const DeviceLimits& device) {
  cudaOccDeviceProp p;
  p.computeMajor = static_cast<int>(device.compute_major);
  p.computeMinor = static_cast<int>(device.compute_minor);
  p.maxThreadsPerBlock = static_cast<int>(device.threads_per_block);
  p.maxThreadsPerMultiprocessor = static_cast<int>(device.threads_per_sm);
  p.regsPerBlock = static_cast<int>(device.registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(device.registers_per_sm);
  p.warpSize = static_cast<int>(device.warp_threads);
  p.sharedMemPerBlock = device.shared_bytes_per_block;
  p.sharedMemPerMultiprocessor = device.shared_bytes_per_sm;
  p.numSms = static_cast<int>(device.sm_count);
  p.reservedSharedMemPerBlock = device.compute_major >= 8 ? kReservedSharedBytes : 0;
  // Not told by CUPTI. The launch was accepted, so what it uses was allowed.
  p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - p.reservedSharedMemPerBlock;
  return p;
}

cudaOccFuncAttributes attributes(const LaunchShape& launch) {
  cudaOccFuncAttributes a;
  a.maxThreadsPerBlock = INT_MAX;
  a.numRegs = launch.registers_per_thread;
  a.sharedSizeBytes = 0;
  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  a.maxDynamicSharedSizeBytes = launch.shared_bytes;
  a.numBlockBarriers = 1;
  return a;
}

std::uint8_t limits_of(unsigned factors) {
  std::uint8_t limits = 0;
  if ((factors & OCC_LIMIT_WARPS) != 0) limits |= kLimitThreads;
  if ((factors & OCC_LIMIT_REGISTERS) != 0) limits |= kLimitRegisters;
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) limits |= kLimitSharedMemory;
  if ((factors & OCC_LIMIT_BLOCKS) != 0) limits |= kLimitBlocks;
  if ((factors & OCC_LIMIT_BARRIERS) != 0) limits |= kLimitBarriers;
  return limits;
}

std::size_t hash_of(const LaunchShape& launch) {
  const std::uint64_t a =
      (std::uint64_t{launch.block_threads} << 32 | launch.shared_bytes) * 0x9e3779b97f4a7c15u;
  const std::uint64_t b = (std::uint64_t{launch.registers_per_thread} << 32 |
                           std::uint64_t{launch.cluster_blocks} << 16 |
                           launch.shared_carveout_pct << 8 | launch.device) *
                          0xc2b2ae3d27d4eb4fu;
  return static_cast<std::size_t>((a ^ b ^ launch.max_active_clusters) >> 56);
}

}  // namespace

DeviceLimits device_limits(const CUpti_ActivityDevice4& device) {
  DeviceLimits limits;
  limits.compute_major = device.computeCapabilityMajor;
  limits.compute_minor = device.computeCapabilityMinor;
  limits.sm_count = device.numMultiprocessors;
  limits.warp_threads = device.numThreadsPerWarp;
  limits.threads_per_block = device.maxThreadsPerBlock;
  limits.threads_per_sm = device.maxWarpsPerMultiprocessor * device.numThreadsPerWarp;
  limits.registers_per_block = device.maxRegistersPerBlock;
  limits.registers_per_sm = device.maxRegistersPerMultiprocessor;
  limits.shared_bytes_per_block = device.maxSharedMemoryPerBlock;
  limits.shared_bytes_per_sm = device.maxSharedMemoryPerMultiprocessor;
  return limits;
}

Occupancy occupancy_of(const DeviceLimits& device, const LaunchShape& launch) {
  const cudaOccDeviceProp device_properties = properties(device);
  const cudaOccFuncAttributes function = attributes(launch);
  cudaOccDeviceState state;
  if (launch.shared_carveout_pct <= SHAREDMEM_CARVEOUT_MAX_SHARED) {
    state.carveoutConfig = launch.shared_carveout_pct;
  }
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device_properties, &function, &state, static_cast<int>(launch.block_threads),
      launch.shared_bytes);
  const int blocks = result.activeBlocksPerMultiprocessor;
  if (error != CUDA_OCC_SUCCESS || blocks <= 0 || blocks > 0xff) return {};
  Occupancy occupancy;
  occupancy.blocks_per_sm = static_cast<std::uint8_t>(blocks);
  occupancy.limits = limits_of(result.limitingFactors);
  std::uint32_t on_device = static_cast<std::uint32_t>(blocks) * device.sm_count;
  const std::uint32_t in_clusters =
      std::uint32_t{launch.max_active_clusters} * launch.cluster_blocks;
  if (launch.cluster_blocks > 1 && in_clusters > 0 && in_clusters < on_device) {
    on_device = in_clusters;
    occupancy.limits = kLimitClusters;
  }
  occupancy.blocks_per_device = narrow(on_device);
  return occupancy;
}

OccupancyTable::OccupancyTable(std::uint32_t api_version)
    : has_clusters_(api_version >= kClustersVersion) {
  static_assert(std::has_single_bit(kEntries) && kEntries == 256);  // hash_of: 8 bits
}

void OccupancyTable::add(const CUpti_ActivityDevice4& device) {
  if (device.id >= kMaxDevices) return;
  devices_[device.id] = device_limits(device);
  knows_any_ = true;
  entries_ = {};
}

Occupancy OccupancyTable::of(const CUpti_ActivityKernel9& kernel) {
  if (!knows(kernel.deviceId)) return {};
  LaunchShape launch;
  launch.block_threads = static_cast<std::uint32_t>(kernel.blockX) *
                         static_cast<std::uint32_t>(kernel.blockY) *
                         static_cast<std::uint32_t>(kernel.blockZ);
  if (launch.block_threads == 0 || launch.block_threads > 0xffff) return {};
  launch.shared_bytes = static_cast<std::uint32_t>(kernel.staticSharedMemory) +
                        static_cast<std::uint32_t>(kernel.dynamicSharedMemory);
  launch.registers_per_thread = kernel.registersPerThread;
  if (kernel.isSharedMemoryCarveoutRequested != 0) {
    launch.shared_carveout_pct = kernel.sharedMemoryCarveoutRequested;
  }
  launch.device = static_cast<std::uint8_t>(kernel.deviceId);
  const std::uint32_t cluster = kernel.clusterX * kernel.clusterY * kernel.clusterZ;
  if (cluster > 1) {
    launch.cluster_blocks = narrow(cluster);
    if (has_clusters_) launch.max_active_clusters = narrow(kernel.maxActiveClusters);
  }
  Entry& entry = entries_[hash_of(launch)];
  if (entry.launch != launch) {
    entry.launch = launch;
    entry.occupancy = occupancy_of(devices_[kernel.deviceId], launch);
  }
  return entry.occupancy;
}

}  // namespace gapscope::cupti
