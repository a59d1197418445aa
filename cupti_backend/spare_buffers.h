// Activity buffers of the last resort, for versions of CUPTI that crash when a request is declined.
// Their content is counted as dropped, not decoded. As many as CUPTI asks for between two flushes:
// such a version cannot be told to stop.
//
// make() and push() run inside CUPTI's callbacks, on any thread, without a lock; take() is the
// collector's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace gapscope::cupti {

class SpareBuffers {
 public:
  static constexpr std::size_t kBytes = 64u << 10;

  // nullptr without memory.
  static std::uint8_t* make() noexcept;
  // Completed: waits for take().
  void push(std::uint8_t* data, std::size_t valid_bytes) noexcept;
  // Calls each(data, valid_bytes) for all that wait, then frees them.
  template <typename F>
  void take(F each) {
    // acquire: what CUPTI wrote before its push is visible.
    std::uint8_t* data = first_.exchange(nullptr, std::memory_order_acquire);
    while (data != nullptr) {
      const Tail tail = *tail_of(data);
      each(data, tail.valid_bytes);
      std::free(data);
      data = tail.next;
    }
  }

 private:
  // Behind the bytes that CUPTI knows of.
  struct Tail {
    std::uint8_t* next;
    std::size_t valid_bytes;
  };
  static Tail* tail_of(std::uint8_t* data) noexcept {
    return reinterpret_cast<Tail*>(data + kBytes);
  }

  std::atomic<std::uint8_t*> first_{nullptr};
};

}  // namespace gapscope::cupti
