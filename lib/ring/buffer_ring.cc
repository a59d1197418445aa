#include "ring/buffer_ring.h"

#include <algorithm>
#include <bit>

namespace gapscope {

BufferRing::BufferRing(std::size_t capacity)
    : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 2)) - 1),
      slots_(std::make_unique<Slot[]>(mask_ + 1)) {
  for (std::uint64_t i = 0; i <= mask_; ++i) {
    slots_[i].sequence.store(i, std::memory_order_relaxed);
  }
}

bool BufferRing::push(const CompletedBuffer& buffer) noexcept {
  std::uint64_t position = tail_.load(std::memory_order_relaxed);
  while (true) {
    Slot& slot = slots_[position & mask_];
    const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
    if (sequence == position) {
      if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        slot.buffer = buffer;
        slot.sequence.store(position + 1, std::memory_order_release);
        return true;
      }
    } else if (sequence < position) {
      return false;  // the consumer has not yet read what this slot held a round ago
    } else {
      position = tail_.load(std::memory_order_relaxed);  // another producer took it
    }
  }
}

bool BufferRing::pop(CompletedBuffer* buffer) noexcept {
  Slot& slot = slots_[head_ & mask_];
  if (slot.sequence.load(std::memory_order_acquire) != head_ + 1) return false;
  *buffer = slot.buffer;
  slot.sequence.store(head_ + capacity(), std::memory_order_release);
  ++head_;
  return true;
}

}  // namespace gapscope
