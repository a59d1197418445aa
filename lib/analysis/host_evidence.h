// What the host was doing, as far as it may still be asked for: calls of launching threads,
// driver and profiler overhead, garbage collections, thread samples, throttling.
//
// Bounded: the newest kMax... of each; forget_before() drops what no gap can need any more.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "analysis/cause.h"
#include "analysis/operation.h"
#include "record/record.h"

namespace gapscope {

struct CallEvidence {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t thread = kNoThread;
  ApiId api = ApiId::unknown;
  ApiCategory category = ApiCategory::other;
  bool waits = false;
  // Of a graph traced node by node: what tracing added to the call and no gap was blamed on yet.
  // Attribution's to take from.
  mutable std::int64_t tracing_ns = 0;
  bool plain = false;  // can only speak for launch_bound
  // How many calls before it follow each other plainly, this one included: each plain and less than
  // kHostStretchNs after the one before it.
  std::uint32_t followers = 0;
};

struct OverheadEvidence {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t os_thread_id = 0;  // 0: of no thread in particular
  OverheadType type = OverheadType::unknown;
};

struct GcEvidence {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t generation = 0;
};

struct ThrottleEvidence {
  std::int64_t begin_ns = 0, end_ns = 0, throttled_ns = 0;
};

struct SampleEvidence {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t on_cpu_ns = 0;
  std::int64_t runnable_ns = 0;  // ready to run, without a CPU
  std::uint32_t wait_id = kNoString;
  // Whom it waits for: by index where it launches, else by the system's id, 0 if unknown.
  std::uint32_t waits_for = kNoThread;
  std::uint32_t waits_for_os_thread = 0;
  std::uint32_t waits_for_name_id = kNoString;
  bool wait_guess = false;  // kSampleWaitGuess
  char state = 0;
  absl::InlinedVector<std::uint32_t, 12> frames;  // innermost first
  bool running() const { return 2 * on_cpu_ns >= end_ns - begin_ns; }
};

class HostEvidence {
 public:
  static constexpr std::size_t kMaxCalls = 1u << 16;
  static constexpr std::size_t kMaxOther = 1u << 14;
  static constexpr std::size_t kMaxThreads = 4096;

  // In order of begin. Calls of threads that never launch anything are no evidence.
  void add_call(const Call& call, bool waits);
  void add(const OverheadRecord& record);
  void add(const GcRecord& record);
  void add(const ThrottleRecord& record);
  void add(const ThreadInfoRecord& record);
  // A ThreadSampleRecord with its frames. Says what was understood of it, false when it is of no
  // use.
  bool add_sample(const RecordHeader& header, SampleEvidence* understood = nullptr);

  void forget_before(std::int64_t time_ns);

  // By begin; neighbours of different threads may overlap.
  const std::deque<CallEvidence>& calls() const { return calls_; }
  const std::deque<OverheadEvidence>& overheads() const { return overheads_; }
  const std::deque<GcEvidence>& collections() const { return collections_; }
  const std::deque<ThrottleEvidence>& throttles() const { return throttles_; }
  // nullptr when that thread was never sampled.
  const std::deque<SampleEvidence>* samples(std::uint32_t thread) const;
  // Of the thread that this sample's thread waits for, launching or not; nullptr likewise.
  const std::deque<SampleEvidence>* awaited(const SampleEvidence& sample) const;
  std::uint32_t os_thread(std::uint32_t thread) const;       // 0 if unknown
  std::uint32_t thread_name_id(std::uint32_t thread) const;  // kNoString if unknown
  std::size_t held() const;

 private:
  bool launching(const Call& call);
  void link(CallEvidence* call) const;

  std::deque<CallEvidence> calls_;
  std::deque<OverheadEvidence> overheads_;
  std::deque<GcEvidence> collections_;
  std::deque<ThrottleEvidence> throttles_;
  absl::flat_hash_map<std::uint32_t, std::deque<SampleEvidence>> samples_;  // by thread index
  // Of threads that launch nothing, and so have no index: by the system's id.
  absl::flat_hash_map<std::uint32_t, std::deque<SampleEvidence>> other_samples_;
  struct ThreadIdentity {
    std::uint32_t os_thread_id = 0, name_id = kNoString;
  };
  absl::flat_hash_map<std::uint32_t, ThreadIdentity> threads_;
  absl::flat_hash_set<std::uint32_t> launching_threads_;
  std::uint32_t last_launching_ = kNoThread;
};

}  // namespace gapscope
