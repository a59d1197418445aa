#include "record/recording_format.h"

#include <zlib.h>

#include <algorithm>

#include "record/recording.h"

namespace gapscope::recording {
namespace {

constexpr std::array<std::uint8_t, 6> kMagic = {'G', 'S', 'R', 'E', 'C', '\0'};

template <typename T>
void put(std::uint8_t* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

template <typename T>
T get(const std::uint8_t* at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{at[i]} << (8 * i));
  return value;
}

}  // namespace

HeaderBytes encode_header(std::uint16_t version) {
  HeaderBytes bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  put<std::uint16_t>(&bytes[6], version);
  return bytes;
}

HeaderError decode_header(const HeaderBytes& bytes, std::uint16_t* version) {
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) return HeaderError::not_a_recording;
  *version = get<std::uint16_t>(&bytes[6]);
  if (*version == 0) return HeaderError::not_a_recording;
  // No flag has a meaning yet: one that is set changes something that this reader cannot know.
  if (*version > kRecordingVersion || get<std::uint32_t>(&bytes[8]) != 0) return HeaderError::newer;
  return HeaderError::none;
}

ChunkHeaderBytes encode_chunk_header(const ChunkHeader& header) {
  ChunkHeaderBytes bytes{};
  put(&bytes[0], header.raw_bytes);
  put(&bytes[4], header.stored_bytes);
  put(&bytes[8], header.crc);
  return bytes;
}

ChunkHeader decode_chunk_header(const ChunkHeaderBytes& bytes) {
  return {get<std::uint32_t>(&bytes[0]), get<std::uint32_t>(&bytes[4]),
          get<std::uint32_t>(&bytes[8])};
}

ChunkHeader end_mark(EndReason reason, std::uint64_t records) {
  std::array<std::uint8_t, 12> covered{};
  put(&covered[0], static_cast<std::uint32_t>(reason));
  put(&covered[4], records);
  const auto crc = static_cast<std::uint32_t>(crc32(0, covered.data(), covered.size()));
  return {0, static_cast<std::uint32_t>(reason), crc};
}

bool plausible(const ChunkHeader& header) {
  return header.raw_bytes >= sizeof(RecordHeader) && header.raw_bytes <= kMaxChunkBytes &&
         header.raw_bytes % 8 == 0 && header.stored_bytes > 0 &&
         header.stored_bytes <= compressBound(kMaxChunkBytes);
}

bool plausible_record(const RecordHeader& record, std::size_t room) {
  return record.size_bytes >= sizeof(RecordHeader) && record.size_bytes % 8 == 0 &&
         record.size_bytes <= kMaxRecordBytes && record.size_bytes <= room &&
         record.kind != RecordKind::none;
}

}  // namespace gapscope::recording
