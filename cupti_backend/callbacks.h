// What runs inside the application's CUDA calls: an entry stamp, one record at the exit.
//
// Invariant: after a thread's first record no lock, no allocation, no blocking system call, no CUDA
// or CUPTI call, no exception. Driver calls inside a callback are undefined behaviour.
#pragma once

#include <atomic>
#include <cstdint>

#include "call_table.h"
#include "cupti_versions.h"
#include "ring/ring_set.h"
#include "runtime/wake.h"

namespace gapscope::cupti {

class Callbacks {
 public:
  void attach(RingSet* rings, Wake* collector_wake) noexcept;

  // The function for cuptiSubscribe; user data is the Callbacks object.
  static void CUPTIAPI entry(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                             const void* data);

  void stop_recording() noexcept { recording_.store(false, std::memory_order_relaxed); }
  bool recording() const noexcept { return recording_.load(std::memory_order_relaxed); }
  // A CUDA call came back: cuInit has returned, so a flush cannot deadlock with it.
  bool cuda_is_up() const noexcept { return cuda_is_up_.load(std::memory_order_relaxed); }
  bool is_dead() const noexcept { return dead_.load(std::memory_order_acquire); }

  // Estimated time spent in here, from every kSampleEvery-th call's own measurement.
  std::uint64_t estimated_ns() const noexcept;

 private:
  static constexpr std::uint32_t kSampleEvery = 256;

  void driver_call(const CUpti_CallbackData& data, CUpti_CallbackId id) noexcept;
  void enter(const CUpti_CallbackData& data, ThreadRing* ring) noexcept;
  void exit(const CUpti_CallbackData& data, const CallInfo& call, ThreadRing& local) noexcept;
  void write_call(const CUpti_CallbackData& data, const CallInfo& call, ThreadRing& local,
                  std::uint64_t start_ns, std::uint64_t end_ns) noexcept;
  void write_capture_mark(ApiId api, ThreadRing& local, std::uint64_t start_ns,
                          std::uint64_t end_ns) noexcept;
  void sample_cost(std::uint32_t correlation_id, std::uint64_t begin_ns) noexcept;

  RingSet* rings_ = nullptr;
  Wake* wake_ = nullptr;
  std::atomic<bool> recording_{false};
  std::atomic<bool> dead_{false};
  std::atomic<bool> cuda_is_up_{false};  // written once; relaxed
  // Sums over samples; relaxed, written once in kSampleEvery calls.
  std::atomic<std::uint64_t> sampled_ns_{0};
};

}  // namespace gapscope::cupti
