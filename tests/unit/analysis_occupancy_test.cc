#include <cmath>

#include "analysis_stream.h"
#include "catch.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

DeviceInfoRecord device(std::uint32_t max_threads) {
  auto r = make_record<DeviceInfoRecord>();
  r.sm_count = 132;
  r.max_threads_per_sm = max_threads;
  return r;
}

KernelRecord sized(KernelRecord r, std::uint32_t blocks, std::uint32_t threads,
                   std::uint8_t blocks_per_sm, std::uint8_t limits) {
  r.grid[0] = blocks;
  r.block[0] = threads;
  r.blocks_per_sm = blocks_per_sm;
  r.blocks_per_device = static_cast<std::uint16_t>(blocks_per_sm * 132);
  r.occupancy_limits = limits;
  return r;
}

const report::Kernel& only_kernel(const report::Report& report) {
  REQUIRE(report.whole.devices.size() == 1);
  REQUIRE(report.whole.devices[0].kernels.size() == 1);
  return report.whole.devices[0].kernels[0];
}

bool near(double a, double b) { return std::fabs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("occupancy is averaged over the time of the launches") {
  Fed fed;
  fed.add(device(2048));
  fed.add(launch(1, 100, 102)).add(launch(2, 103, 105));
  // 8 blocks of 8 warps: 64. Half a wave of 1056 blocks, 300 ns.
  fed.add(sized(kernel(1, 1000, 1300), 528, 256, 8, kLimitThreads | kLimitRegisters));
  // 2 blocks of 8 warps: 16. Two and a half waves of 264, 100 ns.
  fed.add(sized(kernel(2, 2000, 2100), 660, 256, 2, kLimitRegisters));
  const report::Report report = fed.finish();
  const auto& occupancy = only_kernel(report).occupancy;
  REQUIRE(occupancy.has_value());
  CHECK(occupancy->known_ns == 400);
  CHECK(occupancy->max_warps == 64);
  CHECK(near(occupancy->warps, (64 * 300 + 16 * 100) / 400.0));
  CHECK(near(occupancy->waves, (0.5 * 300 + 2.5 * 100) / 400));
  // Half of the first wave's slots stay empty, and half a wave of three.
  CHECK(near(occupancy->tail, (0.5 * 300 + 0.5 / 3 * 100) / 400));
  CHECK(occupancy->limiter == "registers");
}

TEST_CASE("limits that hold for the same time are both named") {
  Fed fed;
  fed.add(device(2048)).add(launch(1, 100, 102));
  fed.add(sized(kernel(1, 1000, 1300), 528, 256, 8, kLimitThreads | kLimitSharedMemory));
  CHECK(only_kernel(fed.finish()).occupancy->limiter == "threads, shared memory");
}

TEST_CASE("launches of unknown occupancy have no part in it") {
  Fed fed;
  fed.add(device(2048));
  fed.add(launch(1, 100, 102)).add(launch(2, 103, 105));
  fed.add(sized(kernel(1, 1000, 1300), 1056, 256, 8, kLimitThreads));
  fed.add(kernel(2, 2000, 9000));
  const report::Report report = fed.finish();
  CHECK(only_kernel(report).occupancy->known_ns == 300);
  CHECK(near(only_kernel(report).occupancy->warps, 64));
}

TEST_CASE("occupancy that is not known is none, not 0") {
  SECTION("an older recording has no blocks") {
    Fed fed;
    fed.add(device(2048)).run(1, 100, 1000, 1300);
    CHECK_FALSE(only_kernel(fed.finish()).occupancy.has_value());
  }
  SECTION("without the device's limits") {
    Fed fed;
    fed.add(launch(1, 100, 102));
    fed.add(sized(kernel(1, 1000, 1300), 528, 256, 8, kLimitThreads));
    CHECK_FALSE(only_kernel(fed.finish()).occupancy.has_value());
  }
}

TEST_CASE("no claim of a recording makes the sums overflow") {
  Fed fed;
  fed.add(device(0xffffffff));
  for (std::uint32_t i = 1; i <= 200; ++i) {
    const std::uint64_t start = 1000 + (std::uint64_t{i} << 47);
    auto r =
        sized(kernel(i, start, start + (std::uint64_t{1} << 47)), 0xffffffff, 0xffff, 255, 0xff);
    r.grid[1] = r.grid[2] = r.block[1] = r.block[2] = 0xffffffff;
    fed.add(r);
  }
  const report::Report report = fed.finish(std::uint64_t{1} << 62);
  const auto& occupancy = only_kernel(report).occupancy;
  REQUIRE(occupancy.has_value());
  CHECK(occupancy->known_ns > 0);
  CHECK(occupancy->tail >= 0);
  CHECK(occupancy->tail <= 1);
}
