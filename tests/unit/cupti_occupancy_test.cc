// Occupancy by hand: the arithmetic of each case stands beside it.
#include "occupancy.h"

#include <string>

#include "catch.h"

namespace gapscope::cupti {
namespace {

DeviceLimits hopper() {
  DeviceLimits d;
  d.compute_major = 9;
  d.sm_count = 132;
  d.warp_threads = 32;
  d.threads_per_block = 1024;
  d.threads_per_sm = 2048;
  d.registers_per_block = d.registers_per_sm = 65536;
  d.shared_bytes_per_block = 49152;
  d.shared_bytes_per_sm = 233472;
  return d;
}

DeviceLimits turing() {
  DeviceLimits d = hopper();
  d.compute_major = 7;
  d.compute_minor = 5;
  d.threads_per_sm = 1024;
  d.shared_bytes_per_sm = 65536;
  return d;
}

LaunchShape launch(std::uint32_t threads, std::uint16_t registers, std::uint32_t shared_bytes = 0) {
  LaunchShape l;
  l.block_threads = threads;
  l.registers_per_thread = registers;
  l.shared_bytes = shared_bytes;
  return l;
}

int blocks(const DeviceLimits& device, const LaunchShape& shape) {
  return occupancy_of(device, shape).blocks_per_sm;
}
int limits(const DeviceLimits& device, const LaunchShape& shape) {
  return occupancy_of(device, shape).limits;
}

TEST_CASE("threads: 64 warps / 8 warps a block") {
  CHECK(blocks(hopper(), launch(256, 16)) == 8);
  CHECK(limits(hopper(), launch(256, 16)) == kLimitThreads);
  CHECK(occupancy_of(hopper(), launch(256, 16)).blocks_per_device == 8 * 132);
}

TEST_CASE("two limits that are equally tight are both named") {
  // 32 registers x 32 threads = 1024 a warp, 16384 / 1024 = 16 warps a partition, 64 in all.
  CHECK(blocks(hopper(), launch(256, 32)) == 8);
  CHECK(limits(hopper(), launch(256, 32)) == (kLimitThreads | kLimitRegisters));
}

TEST_CASE("registers: in a warp's share, partition by partition") {
  // 128 x 32 = 4096 a warp, 4 warps a partition, 16 in all, 2 blocks of 8.
  CHECK(blocks(hopper(), launch(256, 128)) == 2);
  CHECK(limits(hopper(), launch(256, 128)) == kLimitRegisters);
  // 255 x 32 = 8160, in steps of 256: 8192; 2 warps a partition, 8 in all, 2 blocks of 4.
  CHECK(blocks(hopper(), launch(128, 255)) == 2);
  // 168 x 32 = 5376; 16384 / 5376 = 3 warps a partition, 12 in all, 2 blocks of 5.
  CHECK(blocks(hopper(), launch(160, 168)) == 2);
}

TEST_CASE("shared memory: with the driver's 1 KiB a block, from compute capability 8.0 on") {
  // 65536 + 1024 = 66560; 233472 / 66560 = 3.
  CHECK(blocks(hopper(), launch(128, 32, 65536)) == 3);
  CHECK(limits(hopper(), launch(128, 32, 65536)) == kLimitSharedMemory);
  // 227 KiB is the most that a block can have.
  CHECK(blocks(hopper(), launch(256, 32, 227 * 1024)) == 1);
  // On 7.5 nothing is reserved: 65536 / 32768 = 2.
  CHECK(blocks(turing(), launch(128, 32, 32768)) == 2);
  CHECK(limits(turing(), launch(128, 32, 32768)) == kLimitSharedMemory);
}

TEST_CASE("shared memory: as much of the L1 as the program asked for") {
  LaunchShape half = launch(128, 32, 65536);
  half.shared_carveout_pct = 50;
  // 116736 bytes, the next size is 132 KiB; 135168 / 66560 = 2.
  CHECK(blocks(hopper(), half) == 2);
}

TEST_CASE("blocks: 32 a multiprocessor however small") {
  CHECK(blocks(hopper(), launch(32, 16)) == 32);
  CHECK(limits(hopper(), launch(32, 16)) == kLimitBlocks);
  CHECK(blocks(turing(), launch(32, 16)) == 16);
}

TEST_CASE("clusters: what CUPTI says fits the device, when that is less") {
  LaunchShape clustered = launch(1024, 32);
  clustered.cluster_blocks = 16;
  clustered.max_active_clusters = 12;
  const Occupancy few = occupancy_of(hopper(), clustered);
  CHECK(few.blocks_per_sm == 2);
  CHECK(few.blocks_per_device == 12 * 16);
  CHECK(few.limits == kLimitClusters);
  clustered.max_active_clusters = 0;  // not told
  CHECK(occupancy_of(hopper(), clustered).blocks_per_device == 2 * 132);
}

TEST_CASE("what cannot be told is 0") {
  DeviceLimits future = hopper();
  future.compute_major = 99;
  CHECK(blocks(future, launch(256, 32)) == 0);
  CHECK(blocks(DeviceLimits{}, launch(256, 32)) == 0);
  CHECK(blocks(hopper(), launch(2048, 32)) == 0);
}

CUpti_ActivityDevice4 device_record(std::uint32_t id) {
  CUpti_ActivityDevice4 d{};
  d.id = id;
  d.numMultiprocessors = 132;
  d.numThreadsPerWarp = 32;
  d.maxWarpsPerMultiprocessor = 64;
  d.maxThreadsPerBlock = 1024;
  d.maxRegistersPerBlock = d.maxRegistersPerMultiprocessor = 65536;
  d.maxSharedMemoryPerBlock = 49152;
  d.maxSharedMemoryPerMultiprocessor = 233472;
  d.computeCapabilityMajor = 9;
  return d;
}

CUpti_ActivityKernel9 kernel_record(std::uint32_t device, int threads, int registers) {
  CUpti_ActivityKernel9 k{};
  k.deviceId = device;
  k.blockX = threads;
  k.blockY = k.blockZ = 1;
  k.registersPerThread = static_cast<std::uint16_t>(registers);
  return k;
}

TEST_CASE("the table says the same again, for more launches than it remembers") {
  OccupancyTable table(CUPTI_API_VERSION);
  CHECK(table.of(kernel_record(1, 256, 128)).blocks_per_sm == 0);  // its device is not known yet
  table.add(device_record(1));
  const DeviceLimits device = device_limits(device_record(1));
  for (int round = 0; round < 2; ++round) {
    for (int threads = 32; threads <= 1024; threads += 32) {
      for (int registers = 16; registers <= 64; ++registers) {
        const Occupancy found = table.of(kernel_record(1, threads, registers));
        const Occupancy wanted = occupancy_of(
            device,
            launch(static_cast<std::uint32_t>(threads), static_cast<std::uint16_t>(registers)));
        REQUIRE(found.blocks_per_sm == wanted.blocks_per_sm);
        REQUIRE(found.limits == wanted.limits);
      }
    }
  }
  CHECK(table.of(kernel_record(2, 256, 128)).blocks_per_sm == 0);
}

TEST_CASE("the number of clusters is read only where the record has it") {
  CUpti_ActivityKernel9 kernel = kernel_record(0, 1024, 32);
  kernel.clusterX = 8;
  kernel.clusterY = 2;
  kernel.clusterZ = 1;
  kernel.maxActiveClusters = 5;
  OccupancyTable recent(20);
  recent.add(device_record(0));
  CHECK(recent.of(kernel).blocks_per_device == 80);
  OccupancyTable old(18);
  old.add(device_record(0));
  CHECK(old.of(kernel).blocks_per_device == 264);
}

}  // namespace
}  // namespace gapscope::cupti
