// The other threads of the process, while some launching thread is blocked: which of them does the
// work that it may be waiting for.
//
// Bounded: at most kMaxThreads are looked at, four times a second; the kMaxCandidates of them that
// ran most are then followed more closely.
//
// Thread-safety: one owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "host/sampled_thread.h"

namespace gapscope {

class ThreadCensus {
 public:
  static constexpr std::size_t kMaxThreads = 256;
  static constexpr std::size_t kMaxCandidates = 4;
  static constexpr std::uint64_t kPeriodNs = 250'000'000;

  // Counts anew when the last count is kPeriodNs old. skip: threads that are sampled anyway.
  void refresh(std::uint64_t now_ns, const absl::flat_hash_set<std::uint32_t>& skip);
  std::vector<SampledThread>& candidates() { return candidates_; }

  // Threads that never do the program's own work: ours, and the CUDA driver's.
  static bool is_service(std::string_view name);

 private:
  struct Known {
    std::uint64_t cpu_ns = 0;
    std::uint64_t ran_ns = 0;  // between the last two counts
    bool service = false;
    bool seen = false;
  };
  void count(const absl::flat_hash_set<std::uint32_t>& skip);
  void choose();

  absl::flat_hash_map<std::uint32_t, Known> known_;  // by OS thread
  std::vector<SampledThread> candidates_;
  std::uint64_t counted_ns_ = 0;
};

}  // namespace gapscope
