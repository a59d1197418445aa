// A bounded lock-free queue of completed activity buffers: several producers (CUPTI may complete a
// buffer on any thread), one consumer (the collector).
#pragma once

#include <cstddef>
#include <cstdint>

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
  explicit BufferRing(std::size_t capacity);  // rounded up to a power of two
  bool push(const CompletedBuffer& buffer) noexcept;  // any thread; false when full
  bool pop(CompletedBuffer* buffer) noexcept;         // consumer thread only; false when empty
};

}  // namespace gapscope
