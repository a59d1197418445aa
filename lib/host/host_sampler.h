// What the CPU was doing while the GPU was idle: a thread of ours that looks at the launching
// threads from outside, every few milliseconds, and never stops them.
//
// Evidence travels through a ring of its own to the collector thread, which interns the texts.
// The sampler takes no lock of the program's or of the interpreter's and runs none of their code;
// see README.md for what it reads and what that costs.
//
// A process's sampler is never destroyed while its thread runs: see stop().
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/sample_merger.h"
#include "record/record.h"
#include "ring/ring_set.h"

namespace gapscope {

class SampleWorker;

struct HostOptions {
  std::uint64_t period_ns = 2'000'000;  // between two looks at a thread, at least
  bool frames = true;                   // Python frames
  bool collections = true;              // the interpreter's garbage collections
  std::size_t max_frames = 24;          // the innermost ones; at most 64
  std::size_t ring_bytes = 1u << 20;
  // Makes a thread as runtime/thread.h's start_thread does. Never null.
  bool (*start_thread)(pthread_t* thread, void* (*entry)(void*), void* argument,
                       const char* name) = nullptr;
};

class HostSampler {
 public:
  static constexpr std::size_t kMaxThreads = 64;  // watched; later ones are not

  explicit HostSampler(HostOptions options);
  ~HostSampler();
  HostSampler(const HostSampler&) = delete;
  HostSampler& operator=(const HostSampler&) = delete;

  // Looks for an interpreter and starts the thread "gapscope-host"; false when it could not be
  // made. Best on the thread that initialises CUDA: it takes the dynamic linker's lock.
  bool start();

  // --- collector thread ---
  // Whether there is anything to sample for; without, the thread sleeps and costs nothing. Inactive
  // at first.
  void set_active(bool active) noexcept;
  // A thread that launches. ring: where its calls are recorded, to tell when it made none; may be
  // null. Must outlive this.
  void watch(std::uint32_t thread_index, std::uint32_t os_tid, const ThreadRing* ring);
  // Hands over all evidence since the last drain: ThreadSample, Gc and ThrottleRecords. intern
  // gives the id of a text, as Interner::intern does.
  using Intern = std::function<std::uint32_t(std::string_view)>;
  std::size_t drain(RecordSink& sink, const Intern& intern);
  // What a drain that begins after this call hands over is complete below this time. Never more
  // than a second behind, whatever hangs. UINT64_MAX while inactive.
  std::uint64_t sampled_until_ns() const noexcept;
  // "3.12.3, frames on", "3.9.1, frames off: unknown version", "no Python": for MetaKey::python.
  std::string python_state() const;

  // --- any thread ---
  // Ends the thread; false when it did not end within timeout_ns and this must not be destroyed.
  bool stop(std::uint64_t timeout_ns) noexcept;
  // In a forked child: nothing of the parent's works here any more.
  void forget_after_fork() noexcept;
  std::uint64_t cpu_ns() const noexcept { return cpu_ns_.load(std::memory_order_relaxed); }
  std::size_t memory_bytes() const noexcept;
  std::uint64_t dropped() const noexcept;  // records that found the ring full

 private:
  static void* thread_main(void* self);
  void run();
  void drain_record(const RecordHeader& record, RecordSink& sink, const Intern& intern);
  void drain_sample(const RecordHeader& record, RecordSink& sink);
  std::uint32_t interned(std::uint32_t own_id) const;

  const HostOptions options_;
  ByteRing ring_;
  std::unique_ptr<SampleWorker> worker_;
  SampleMerger merger_;                  // collector, during a drain
  std::vector<std::uint32_t> interned_;  // collector: own text id -> interned id
  pthread_t thread_{};
  sem_t wake_;
  bool started_ = false;
  bool was_active_ = false;  // collector
  std::atomic<bool> active_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> until_ns_{0};
  std::atomic<std::uint64_t> cpu_ns_{0};
};

}  // namespace gapscope
