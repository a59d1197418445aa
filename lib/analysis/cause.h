// Why a device was idle: the causes, and the thresholds that tell them apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace gapscope {

// In the order in which evidence decides (lib/analysis/README.md has each rule); spacing,
// dependency, launch_bound, host and unattributed take what no stronger evidence claims.
enum class Cause : std::uint8_t {
  profiler,
  compilation,
  allocation,
  garbage_collection,
  synchronisation,
  input_pipeline,
  launch_bound,
  dependency,
  spacing,
  no_work,
  throttled,  // cgroup CPU limit
  host,
  unattributed,
  count_
};
inline constexpr int kCauses = static_cast<int>(Cause::count_);

std::string_view cause_name(Cause cause);

// Gaps below it whose next operation was queued are spacing: a launch alone costs about 4 us.
inline constexpr std::int64_t kSpacingNs = 5'000;
// A thread without a CUDA call for this long is doing something else: host evidence decides what.
// Below it, it is on its way to the next launch. (Python needs some 10 us between two launches, an
// optimiser step in Python a few 100 us.)
inline constexpr std::int64_t kHostStretchNs = 1'000'000;
// The sampler looks every 2 ms: a shorter stretch that it missed goes like one under 1 ms.
inline constexpr std::int64_t kSampledNs = 2'000'000;
// An operation that starts this long after its launch returned waited for something on the device.
// (Launch latency is 2 to 10 us; copies from pageable memory are staged within 30 us.)
inline constexpr std::int64_t kLaunchLatencyNs = 50'000;
// A device operation may end this much after the blocking call that waited for it, by the error of
// the linear conversion between the clocks.
inline constexpr std::int64_t kClockErrorNs = 10'000;

// What tracing every node adds to the launch of a graph: on an H200 a graph of 1,000 nodes took
// 0.50 us a node untraced, 1.23 us traced by node and 0.51 us traced as a whole. As a share, since
// slower hosts are slower at both; of what a launch takes above kLaunchNs.
inline constexpr double kNodeTracingShare = 0.59;
inline constexpr std::int64_t kLaunchNs = 5'000;
// But never more than this a node, ten times what was measured: what else a launch may be slow for
// (the first one of a graph uploads it, a full queue) is not the profiler's.
inline constexpr std::int64_t kMostNodeTracingNs = 7'000;

}  // namespace gapscope
