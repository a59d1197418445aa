#include "spare_buffers.h"

#include <new>

namespace gapscope::cupti {

std::uint8_t* SpareBuffers::make() noexcept {
  constexpr std::size_t kAlignment = 64;
  static_assert(sizeof(Tail) <= kAlignment && kBytes % kAlignment == 0);
  return static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBytes + kAlignment));
}

void SpareBuffers::push(std::uint8_t* data, std::size_t valid_bytes) noexcept {
  Tail* tail = new (tail_of(data)) Tail{first_.load(std::memory_order_relaxed), valid_bytes};
  // release: take() sees tail and content. Only take() removes, and all at once: no ABA.
  while (!first_.compare_exchange_weak(tail->next, data, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

}  // namespace gapscope::cupti
