// The fixed-size parts of a recording as bytes. Part of recording.h's implementation, and what its
// tests build damaged files with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "record/record.h"

namespace gapscope::recording {

inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::size_t kChunkHeaderBytes = 12;

using HeaderBytes = std::array<std::uint8_t, kHeaderBytes>;
using ChunkHeaderBytes = std::array<std::uint8_t, kChunkHeaderBytes>;

// How a recording came to its end; the end mark's second word.
enum class EndReason : std::uint32_t { closed = 0, limit = 1, write_error = 2 };

enum class HeaderError { none, not_a_recording, newer };

struct ChunkHeader {
  std::uint32_t raw_bytes = 0;
  std::uint32_t stored_bytes = 0;
  std::uint32_t crc = 0;
};

HeaderBytes encode_header(std::uint16_t version);
HeaderError decode_header(const HeaderBytes& bytes, std::uint16_t* version);

ChunkHeaderBytes encode_chunk_header(const ChunkHeader& header);
ChunkHeader decode_chunk_header(const ChunkHeaderBytes& bytes);

// The end mark's crc covers its reason and the number of records, so that neither a file system's
// zeros nor a file with a chunk missing pass for a finished recording.
ChunkHeader end_mark(EndReason reason, std::uint64_t records);

// Whether a chunk header that is no end mark can be true: whole words, within bounds.
bool plausible(const ChunkHeader& header);

// Whether a record of this size may stand where `room` bytes are left.
bool plausible_record(const RecordHeader& record, std::size_t room);

}  // namespace gapscope::recording
