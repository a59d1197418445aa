// zlib with its state allocated once. Part of recording.h's implementation. Not thread-safe.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gapscope::recording {

class Deflater {
 public:
  // Throws std::bad_alloc when there is no memory.
  explicit Deflater(std::size_t max_raw_bytes);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // One complete zlib stream of raw (at most max_raw_bytes), after `front` bytes of room for the
  // caller. Returns the whole, valid until the next call. Does not allocate, cannot fail.
  std::vector<std::uint8_t>& deflate(const void* raw, std::size_t bytes, std::size_t front);

 private:
  z_stream stream_{};
  std::vector<std::uint8_t> out_;
};

class Inflater {
 public:
  Inflater();  // throws std::bad_alloc
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // True when `stored` is exactly one valid stream of exactly raw_bytes.
  bool inflate(const std::uint8_t* stored, std::size_t stored_bytes, void* raw,
               std::size_t raw_bytes);

 private:
  z_stream stream_{};
};

}  // namespace gapscope::recording
