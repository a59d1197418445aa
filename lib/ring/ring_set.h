// The rings of all producer threads: one each, found through one thread-local pointer, handed on
// to a new thread only after the old one has ended and its ring was drained.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "record/record.h"
#include "ring/byte_ring.h"

namespace gapscope {

// What a producer thread holds.
struct ThreadRing {
  explicit ThreadRing(std::size_t capacity_bytes) : ring(capacity_bytes) {}
  ByteRing ring;
  // Entry time of the outermost CUDA call in progress, 0 if none. Written by the producer (relaxed),
  // read by the collector for the finality watermark.
  std::atomic<std::uint64_t> in_call_since_ns{0};
  std::uint32_t thread_index = kNoThread;  // dense, never reused, also when the ring is
  std::uint32_t os_thread_id = 0;
};

class RingSet {
 public:
  // ring_bytes: capacity of each; max_rings: cap, further threads share the counted sink.
  RingSet(std::size_t ring_bytes, std::size_t max_rings);

  // Producer side. The calling thread's ring, made on the thread's first call (which may allocate);
  // nullptr when there is none to be had: the record must then be given to count_unringed().
  // Never throws. After the thread's end (its TLS destructor ran) always nullptr.
  ThreadRing* local() noexcept;
  void count_unringed(RecordKind kind) noexcept;  // any thread; dropped, counted

  // Collector side. Visits every ring that has or may have records; drained rings of ended threads
  // are recycled after the visit.
  void for_each(const std::function<void(ThreadRing&)>& f);
  // Min of in_call_since_ns over all rings (0s skipped), UINT64_MAX when no call is in progress.
  std::uint64_t oldest_call_in_progress_ns() const noexcept;

  // Totals over all rings that ever were and the shared sink; exact after quiescence.
  struct Totals {
    std::array<std::uint64_t, kRecordKinds> offered{}, consumed{}, dropped{};
  };
  Totals totals() const;
  std::size_t rings() const noexcept;   // allocated
  std::size_t memory_bytes() const noexcept;
};

}  // namespace gapscope
