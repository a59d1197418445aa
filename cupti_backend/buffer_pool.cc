#include "buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace gapscope::cupti {

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t limit_bytes)
    : buffer_bytes_((buffer_bytes + kAlignment - 1) / kAlignment * kAlignment),
      count_(std::max<std::size_t>(2, limit_bytes / buffer_bytes_)),
      states_(new std::atomic<std::uint8_t>[count_]) {
  void* memory = mmap(nullptr, buffer_bytes_ * count_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // No MADV_DONTFORK: in a forked child CUPTI may still touch the buffer that it holds.
  memory_ = static_cast<std::uint8_t*>(memory);
  for (std::size_t i = 0; i < count_; ++i) states_[i].store(kNew, std::memory_order_relaxed);
}

BufferPool::~BufferPool() { munmap(memory_, buffer_bytes_ * count_); }

std::uint8_t* BufferPool::take() noexcept {
  // Used ones first, so that a quiet program touches few.
  for (const std::uint8_t wanted : {std::uint8_t{kFree}, std::uint8_t{kNew}}) {
    for (std::size_t i = 0; i < count_; ++i) {
      std::uint8_t state = wanted;
      if (states_[i].load(std::memory_order_relaxed) == wanted &&
          states_[i].compare_exchange_strong(state, kOut, std::memory_order_acquire)) {
        if (wanted == kNew) touched_.fetch_add(1, std::memory_order_relaxed);
        return memory_ + i * buffer_bytes_;
      }
    }
  }
  return nullptr;
}

bool BufferPool::give_back(std::uint8_t* data) noexcept {
  if (data < memory_ || data >= memory_ + buffer_bytes_ * count_) return false;
  const auto offset = static_cast<std::size_t>(data - memory_);
  if (offset % buffer_bytes_ != 0) return false;
  states_[offset / buffer_bytes_].store(kFree, std::memory_order_release);
  return true;
}

std::size_t BufferPool::touched_bytes() const noexcept {
  return touched_.load(std::memory_order_relaxed) * buffer_bytes_;
}

}  // namespace gapscope::cupti
