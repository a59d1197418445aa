// What is summed up about CUDA calls in one phase: calls by name, and how the device spent the time
// of those that waited.
//
// Bounded: one entry an ApiId. Thread-safety: none, one owner.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/histogram.h"
#include "analysis/operation.h"
#include "report/report.h"

namespace gapscope {

class HostTally {
 public:
  void add_call(const Call& call, bool waits);
  void add_wait(ApiId api, std::int64_t total_ns, std::int64_t busy_ns, std::int64_t idle_ns);
  void merge(const HostTally& other);

  std::vector<report::HostCall> host_calls() const;  // by total time
  std::vector<report::Wait> waits() const;           // by total time

 private:
  struct Entry {
    Histogram time;
    std::int64_t blocking_ns = 0, failed = 0, captured = 0;
    std::int64_t waits = 0, wait_ns = 0, busy_ns = 0, idle_ns = 0;
  };
  Entry& entry(ApiId api) { return entries_[static_cast<std::size_t>(api)]; }

  std::array<Entry, static_cast<std::size_t>(ApiId::count_)> entries_;
};

}  // namespace gapscope
