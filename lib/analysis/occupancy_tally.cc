#include "analysis/occupancy_tally.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gapscope {
namespace {

constexpr std::string_view kLimitNames[kOccupancyLimits] = {"threads", "registers", "shared memory",
                                                            "blocks",  "barriers",  "clusters"};
constexpr std::uint32_t kWarpThreads = 32;
// Whatever a recording claims, sums stay within 64 bits: 2^47 ns by 2^8 warps, and then some.
constexpr std::uint32_t kMostWarps = 255;

}  // namespace

void OccupancyTally::add(const Operation& op) {
  if (op.blocks_per_sm == 0 || op.blocks_per_device == 0) return;
  const std::uint64_t blocks = std::uint64_t{op.grid[0]} * op.grid[1] * op.grid[2];
  if (blocks != blocks_ || op.blocks_per_device != slots_) {
    blocks_ = blocks;
    slots_ = op.blocks_per_device;
    const std::uint64_t whole = (blocks + slots_ - 1) / slots_;
    waves_ = static_cast<double>(blocks) / slots_;
    filled_ = whole > 0 ? waves_ / static_cast<double>(whole) : 0;
  }
  const std::int64_t ns = op.duration_ns();
  const std::uint64_t threads = std::uint64_t{op.block[0]} * op.block[1] * op.block[2];
  const std::uint64_t warps = (threads + kWarpThreads - 1) / kWarpThreads * op.blocks_per_sm;
  add_capped(warp_ns_, ns * static_cast<std::int64_t>(std::min<std::uint64_t>(warps, kMostWarps)));
  add_capped(known_ns_, ns);
  wave_ns_ += static_cast<double>(ns) * waves_;
  filled_ns_ += static_cast<double>(ns) * filled_;
  for (unsigned bits = op.occupancy_limits, i = 0; bits != 0 && i < kOccupancyLimits; ++i) {
    if ((bits & 1) != 0) add_capped(limit_ns_[i], ns);
    bits >>= 1;
  }
}

void OccupancyTally::merge(const OccupancyTally& later) {
  add_capped(known_ns_, later.known_ns_);
  add_capped(warp_ns_, later.warp_ns_);
  wave_ns_ += later.wave_ns_;
  filled_ns_ += later.filled_ns_;
  for (int i = 0; i < kOccupancyLimits; ++i) add_capped(limit_ns_[i], later.limit_ns_[i]);
}

std::optional<report::Occupancy> OccupancyTally::report(std::uint32_t max_warps) const {
  if (known_ns_ <= 0 || max_warps == 0) return std::nullopt;
  const auto known = static_cast<double>(known_ns_);
  report::Occupancy occupancy;
  occupancy.known_ns = known_ns_;
  occupancy.max_warps = max_warps;
  occupancy.warps = static_cast<double>(warp_ns_) / known;
  occupancy.waves = wave_ns_ / known;
  occupancy.tail = std::clamp(1 - filled_ns_ / known, 0.0, 1.0);
  const std::int64_t most = *std::max_element(limit_ns_, limit_ns_ + kOccupancyLimits);
  for (int i = 0; most > 0 && i < kOccupancyLimits; ++i) {
    if (limit_ns_[i] < most) continue;
    absl::StrAppend(&occupancy.limiter, occupancy.limiter.empty() ? "" : ", ", kLimitNames[i]);
  }
  return occupancy;
}

}  // namespace gapscope
