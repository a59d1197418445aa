// How many blocks of a launch fit a multiprocessor and the device at one time, and what limits
// that: computed from what CUPTI's records say, without a call to the driver.
//
// The rules are the toolkit's (cuda_occupancy.h), so the figure is what
// cudaOccupancyMaxActiveBlocksPerMultiprocessor says. That costs some hundred nanoseconds, but a
// program has few different launches: OccupancyTable remembers them.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>

#include "record/record.h"

namespace gapscope::cupti {

struct DeviceLimits {
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t warp_threads = 0;
  std::uint32_t threads_per_block = 0;
  std::uint32_t threads_per_sm = 0;
  std::uint32_t registers_per_block = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t shared_bytes_per_block = 0;  // without opting in to more
  std::uint32_t shared_bytes_per_sm = 0;
};
DeviceLimits device_limits(const CUpti_ActivityDevice4& device);

// What decides a launch's occupancy.
struct LaunchShape {
  static constexpr std::uint8_t kNoCarveout = 0xff;
  std::uint32_t block_threads = 0;
  std::uint32_t shared_bytes = 0;  // static and dynamic, a block
  std::uint16_t registers_per_thread = 0;
  std::uint8_t shared_carveout_pct = kNoCarveout;  // share of the L1 that the program asked for
  std::uint8_t device = 0;
  std::uint16_t cluster_blocks = 1;
  std::uint16_t max_active_clusters = 0;  // on the device; 0 if not known
  bool operator==(const LaunchShape&) const = default;
};

// All 0 where it cannot be told (a device that the toolkit's rules do not know).
struct Occupancy {
  std::uint16_t blocks_per_device = 0;
  std::uint8_t blocks_per_sm = 0;
  std::uint8_t limits = 0;  // OccupancyLimits
};
Occupancy occupancy_of(const DeviceLimits& device, const LaunchShape& launch);

// Thread-safety: none; the collector's.
class OccupancyTable {
 public:
  static constexpr std::uint32_t kMaxDevices = 64;

  // api_version: of the CUPTI that fills the records; older ones lack the number of clusters.
  explicit OccupancyTable(std::uint32_t api_version);

  void add(const CUpti_ActivityDevice4& device);
  bool knows(std::uint32_t device) const {
    return device < kMaxDevices && devices_[device].sm_count > 0;
  }
  bool knows_any() const { return knows_any_; }
  Occupancy of(const CUpti_ActivityKernel9& kernel);

 private:
  static constexpr std::size_t kEntries = 256;  // a power of two
  struct Entry {
    LaunchShape launch;
    Occupancy occupancy;
  };

  bool has_clusters_;
  bool knows_any_ = false;
  std::array<DeviceLimits, kMaxDevices> devices_;
  std::array<Entry, kEntries> entries_;
};

}  // namespace gapscope::cupti
