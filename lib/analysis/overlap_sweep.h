// CPU against GPU over the window: both, GPU only, CPU only, neither.
//
// The GPU is busy while any device is, the CPU while any thread works (cpu_work.h). The window is
// that of all devices together: from the first to the last counted operation, pauses between
// capture ranges and unknown time left out. Thread-safety: none, one owner.
#pragma once

#include <cstdint>

#include "analysis/operation.h"
#include "report/report.h"

namespace gapscope {

class OverlapSweep {
 public:
  // To be called before each change of state, in order of time.
  void advance(std::int64_t to_ns);

  void gpu_busy(int change) { busy_ += change; }        // devices
  void gpu_unknown(int change) { unknown_ += change; }  // devices
  void cpu_work(int change) { work_ += change; }        // threads
  // A counted operation begins; range and phase as for DeviceSweep.
  void count_in(std::int64_t start_ns, std::int64_t range, Phase phase);
  void count_out() { --counted_; }
  void take_back_steady();

  // Measures up to the last advance(), counted or not: some device busy; none, but unknown.
  std::int64_t busy_ns() const { return busy_ns_; }
  std::int64_t unknown_ns() const { return unknown_ns_; }

  std::int64_t first_op_ns() const { return first_op_ns_; }  // kNever: none yet
  std::int64_t last_op_ns() const { return last_op_ns_; }
  // The part of the window that lies in that phase, unknown time included.
  std::int64_t span_ns(Phase phase) const;
  report::Overlap overlap(bool steady_only) const;

 private:
  struct Sums {
    std::int64_t both_ns = 0, gpu_only_ns = 0, cpu_only_ns = 0, neither_ns = 0, unknown_ns = 0;
    void add(const Sums& other);
  };
  Sums& sums(Phase phase) { return sums_[static_cast<int>(phase)]; }

  std::int64_t now_ns_ = kNever;
  int busy_ = 0;
  int unknown_ = 0;
  int work_ = 0;
  int counted_ = 0;
  bool window_open_ = false;
  std::int64_t range_ = 0;
  Phase phase_ = Phase::warmup;
  Sums sums_[kPhases];
  Sums held_back_;
  std::int64_t busy_ns_ = 0;
  std::int64_t unknown_ns_ = 0;
  std::int64_t first_op_ns_ = kNever;
  std::int64_t last_op_ns_ = kNever;
};

}  // namespace gapscope
