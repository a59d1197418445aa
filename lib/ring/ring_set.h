// The rings of all producer threads: one each, found through one thread-local cache, handed on to a
// new thread only after the old one has ended and its ring was drained.
//
// A slot's life (state, one atomic):
//
//   made --> live --> ended --> idle --> claimed --> live ...
//      thread's    key        collector,    another      filled in
//      first call  destructor when drained  thread, by CAS
//
// thread_index and os_thread_id are written only while the slot is made or claimed, when nobody
// else looks at it; `live` is stored with release, the collector reads the state with acquire. The
// table of slots only grows until the set is destroyed, so visiting it needs no lock: an entry is
// published by a release store.
//
// Thread end: a pthread key's destructor (runs after C++ thread_local destructors, in no fixed
// order among keys) marks the slot ended and turns the cache to "ended"; whatever the thread
// records after that gets nullptr and goes to count_unringed(). The cache itself is trivially
// destructible: it stays readable for as long as the thread runs, also in atexit handlers of the
// main thread, for which no key destructor runs unless it calls pthread_exit.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "record/record.h"
#include "ring/byte_ring.h"

namespace gapscope {

// What a producer thread holds.
struct ThreadRing {
  explicit ThreadRing(std::size_t capacity_bytes) : ring(capacity_bytes) {}
  ByteRing ring;
  // Entry time of the outermost CUDA call in progress, 0 if none. Written by the producer
  // (relaxed), read by the collector for the finality watermark.
  std::atomic<std::uint64_t> in_call_since_ns{0};
  std::uint32_t thread_index = kNoThread;  // dense, never reused, also when the ring is
  std::uint32_t os_thread_id = 0;
  // Producer only: scratch of the backend's callbacks for the call in progress.
  std::uint32_t outermost_correlation_id = 0;
  std::uint32_t graph_nodes_created = 0;
};

class RingSet {
 public:
  // ring_bytes: capacity of each; max_rings: cap, further threads share the counted sink. Throws
  // std::bad_alloc. A process's set is never destroyed; destroy one (in a test) only when no thread
  // that used it is recording or ending.
  RingSet(std::size_t ring_bytes, std::size_t max_rings);
  ~RingSet();
  RingSet(const RingSet&) = delete;
  RingSet& operator=(const RingSet&) = delete;

  // --- producer side ---
  // The calling thread's ring, made on the thread's first call (which may allocate); nullptr when
  // there is none to be had: the record must then be given to count_unringed(). Never throws. After
  // the thread's end (its TLS destructor ran) always nullptr. A thread that came while all rings
  // were taken gets one later, without lock or allocation, once the collector has one to recycle.
  ThreadRing* local() noexcept {
    if (cache_.set_id == id_ && cache_.ring != nullptr) [[likely]] {
      return cache_.ring;
    }
    return local_slow();
  }
  void count_unringed(RecordKind kind) noexcept {  // any thread; dropped, counted
    unringed_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  }

  // --- collector side: one thread ---
  // Visits every ring that has or may have records; drained rings of ended threads are recycled
  // after the visit (a loss at their very end gets its LostRecord then, and a second visit). Other
  // threads may register meanwhile.
  void for_each(const std::function<void(ThreadRing&)>& f);
  // Min of in_call_since_ns over all rings (0s skipped), UINT64_MAX when no call is in progress. A
  // call that has begun on another core within the last moment (a store that has not become visible
  // yet) may be missed: leave a margin.
  std::uint64_t oldest_call_in_progress_ns() const noexcept;

  // Records that were pushed and that no drain will find: something wrote over their ring. Only of
  // rings that are drained and whose thread is in no call.
  std::uint64_t unfindable() const noexcept;

  // --- any thread ---
  // Totals over all rings that ever were and the shared sink; exact after quiescence.
  struct Totals {
    std::array<std::uint64_t, kRecordKinds> offered{}, consumed{}, dropped{};
  };
  Totals totals() const;
  std::size_t rings() const noexcept;  // allocated
  std::size_t memory_bytes() const noexcept;

 private:
  enum class State : std::uint32_t { live, ended, idle, claimed };
  struct Slot : ThreadRing {
    using ThreadRing::ThreadRing;
    std::atomic<State> state{State::live};
  };
  // Which ring the thread has, and of which set: a pointer alone would dangle from one set to the
  // next. Constant-initialised and trivially destructible.
  struct ThreadCache {
    std::uint64_t set_id;
    ThreadRing* ring;
  };
  static constexpr std::uint64_t kNoSet = 0;            // what a new thread starts with
  static constexpr std::uint64_t kThreadEnded = ~0ull;  // its destructors have run

  static void thread_ended(void* value) noexcept;
  ThreadRing* local_slow() noexcept;
  ThreadRing* cache_as(Slot* slot) noexcept;
  Slot* claim_idle() noexcept;
  Slot* make_slot() noexcept;
  void fill_in(Slot& slot) noexcept;
  void recycle(Slot& slot, const std::function<void(ThreadRing&)>& f);
  template <typename F>
  void each_slot(F&& f) const;

  static constinit thread_local ThreadCache cache_;

  const std::uint64_t id_;
  const std::size_t ring_bytes_;
  const std::size_t max_rings_;
  const std::unique_ptr<std::atomic<Slot*>[]> table_;  // null: not made (yet)
  pthread_key_t key_{};
  bool has_key_ = false;
  std::atomic<std::size_t> made_{0};       // entries of table_ that are taken
  std::atomic<std::size_t> idle_{0};       // slots to be claimed: a hint
  std::atomic<std::uint32_t> threads_{0};  // next thread_index
  std::array<std::atomic<std::uint64_t>, kRecordKinds> unringed_{};
};

}  // namespace gapscope
