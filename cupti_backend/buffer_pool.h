// Activity buffers: a fixed number, reserved at the start, recycled, never freed while CUPTI may
// hold one.
//
// take() runs inside CUPTI's requests (inside a launch, or on a thread of CUPTI): no lock, no
// allocation. give_back() is the collector's. Address space is reserved at once; pages are touched
// only when a buffer is first used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gapscope::cupti {

class BufferPool {
 public:
  static constexpr std::size_t kAlignment = 4096;  // CUPTI asks for 8; 64 avoids shared lines

  // limit_bytes / buffer_bytes buffers, at least 2. Throws std::bad_alloc.
  BufferPool(std::size_t buffer_bytes, std::size_t limit_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // A free buffer, nullptr when all are out. Any thread.
  std::uint8_t* take() noexcept;
  // False when data is not a buffer of this pool.
  bool give_back(std::uint8_t* data) noexcept;
  bool owns(const std::uint8_t* data) const noexcept {
    return data >= memory_ && data < memory_ + buffer_bytes_ * count_;
  }

  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }
  std::size_t count() const noexcept { return count_; }
  std::size_t touched_bytes() const noexcept;

 private:
  enum State : std::uint8_t { kNew, kFree, kOut };

  const std::size_t buffer_bytes_;
  const std::size_t count_;
  std::uint8_t* memory_ = nullptr;
  // acquire on take, release on give_back: the collector has finished reading before CUPTI writes.
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;
  std::atomic<std::size_t> touched_{0};
};

}  // namespace gapscope::cupti
