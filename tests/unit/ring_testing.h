// Records of any size whose whole content follows from a sequence number, so that a consumer can
// check every byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "record/record.h"
#include "ring/byte_ring.h"

namespace ring_testing {

inline constexpr std::size_t kSmallRing = 4 * gapscope::kMaxRecordBytes;

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A record of size_bytes whose header carries `seq` as its thread and whose body is derived from
// it.
struct Blob {
  alignas(8) std::array<std::byte, gapscope::kMaxRecordBytes> bytes;  // set up to the size

  Blob(std::uint32_t seq, std::size_t size_bytes, gapscope::RecordKind kind) {
    const gapscope::RecordHeader h{static_cast<std::uint16_t>(size_bytes), kind, 0, seq};
    std::memcpy(bytes.data(), &h, sizeof h);
    for (std::size_t i = sizeof h; i < size_bytes; i += 8) {
      const std::uint64_t word = mix(seq * 4099u + i);
      std::memcpy(bytes.data() + i, &word, 8);
    }
  }
  const gapscope::RecordHeader& header() const {
    return *reinterpret_cast<const gapscope::RecordHeader*>(bytes.data());
  }
};

inline bool intact(const gapscope::RecordHeader& h) {
  const Blob expected(h.thread, h.size_bytes, h.kind);
  return std::memcmp(&h, expected.bytes.data(), h.size_bytes) == 0;
}

inline bool push(gapscope::ByteRing& ring, std::uint32_t seq, std::size_t size_bytes,
                 gapscope::RecordKind kind = gapscope::RecordKind::api_call) {
  return ring.push(Blob(seq, size_bytes, kind).header());
}

// What one drain handed out.
struct Seen {
  gapscope::RecordKind kind;
  std::uint32_t seq;  // header.thread
  std::size_t size_bytes;
  bool intact;                 // of a LostRecord: its size is right
  std::uint64_t lost = 0;      // LostRecord::count
  std::uint64_t lost_api = 0;  // LostRecord::api_calls
};

inline std::vector<Seen> drain(gapscope::ByteRing& ring) {
  std::vector<Seen> seen;
  ring.drain([&](const gapscope::RecordHeader& h) {
    if (h.kind == gapscope::RecordKind::lost) {
      const auto lost = gapscope::record_cast<gapscope::LostRecord>(h);
      seen.push_back({h.kind, h.thread, h.size_bytes, h.size_bytes == sizeof lost, lost.count,
                      lost.api_calls});
    } else {
      seen.push_back({h.kind, h.thread, h.size_bytes, intact(h)});
    }
  });
  return seen;
}

// Moves both indices of an empty ring forward by `bytes` (a multiple of 8).
inline void advance(gapscope::ByteRing& ring, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t step = bytes < 4096 ? bytes : 4096;
    push(ring, 0, step, gapscope::RecordKind::mark);
    ring.drain([](const gapscope::RecordHeader&) {});
    bytes -= step;
  }
}

inline std::uint64_t total(const gapscope::ByteRing& ring,
                           std::uint64_t (gapscope::ByteRing::*of)(gapscope::RecordKind)
                               const noexcept) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < gapscope::kRecordKinds; ++k) {
    sum += (ring.*of)(static_cast<gapscope::RecordKind>(k));
  }
  return sum;
}

}  // namespace ring_testing
