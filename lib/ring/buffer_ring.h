// A bounded lock-free queue of completed activity buffers: several producers (CUPTI may complete a
// buffer on any thread), one consumer (the collector).
//
// Each slot has a sequence number that says whose turn it is:
//
//   sequence == position               free: the producer that takes this position may write it
//   sequence == position + 1           filled: the consumer may read it
//   sequence == position + capacity    free again, for the next round
//
// A producer claims a position by a compare-exchange on tail_ (relaxed: it orders nothing), writes
// the slot and publishes it by a release store of the sequence; the consumer's acquire load of the
// sequence sees the content, its release store hands the slot back, and the next producer's acquire
// load sees that the content was read. head_ belongs to the consumer alone. Nobody waits: a
// producer that is suspended between claim and publication only hides its own and later buffers
// from the consumer until it goes on; pop() says empty meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ring/byte_ring.h"

namespace gapscope {

struct CompletedBuffer {
  std::uint8_t* data = nullptr;
  std::size_t size_bytes = 0;
  std::size_t valid_bytes = 0;
  void* context = nullptr;  // CUcontext as CUPTI gave it, may be null
  std::uint32_t stream = 0;
  bool spare = false;  // content is to be counted as dropped, not decoded
};

class BufferRing {
 public:
  // capacity: buffers; rounded up to a power of two, at least 2. Throws std::bad_alloc. Give it
  // room for every buffer of the pool, then push() cannot fail.
  explicit BufferRing(std::size_t capacity);
  BufferRing(const BufferRing&) = delete;
  BufferRing& operator=(const BufferRing&) = delete;

  bool push(const CompletedBuffer& buffer) noexcept;  // any thread; false when full
  bool pop(CompletedBuffer* buffer) noexcept;         // consumer thread only; false when empty
  std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  // A line each: producers on neighbouring slots do not disturb one another.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> sequence{0};
    CompletedBuffer buffer;
  };

  std::uint64_t mask_;
  std::unique_ptr<Slot[]> slots_;
  alignas(kSharingBytes) std::atomic<std::uint64_t> tail_{0};  // producers
  alignas(kSharingBytes) std::uint64_t head_ = 0;              // consumer
};

}  // namespace gapscope
