// The recording format (.gsrec): the neutral record stream on disk, compressed.
//
//   header   magic "GSREC\0", u16 format version, u32 flags, reserved: 32 bytes, little endian
//   chunks   u32 raw_bytes, u32 stored_bytes, u32 crc32 of the raw bytes, then zlib data
//   end      a chunk with raw_bytes 0; its absence means that the recording was cut off
//
// A chunk holds whole records. Nothing read from a file is trusted: sizes, kinds and counts are
// checked before use, memory is bounded by kMaxChunkBytes whatever the file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "record/record.h"

namespace gapscope {

inline constexpr std::uint16_t kRecordingVersion = 1;
inline constexpr std::size_t kMaxChunkBytes = 1u << 20;

// Writes records to a file until limit_bytes (on disk) would be exceeded; then it writes the end
// mark, reports stopped() and ignores further records. Not thread-safe. Never throws; a write error
// stops it and is kept in status().
class RecordingWriter final : public RecordSink {
 public:
  static absl::StatusOr<std::unique_ptr<RecordingWriter>> open(const std::string& path,
                                                               std::uint64_t limit_bytes);
  ~RecordingWriter() override;  // closes
  void consume(const RecordHeader& record) override;
  absl::Status close();  // flushes and writes the end mark; idempotent
  bool stopped() const;
  std::uint64_t bytes_written() const;
  absl::Status status() const;

 private:
  class Impl;
  explicit RecordingWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ReplayInfo {
  std::uint64_t records = 0;
  bool complete = false;  // the end mark was there
};

// Feeds every record of a recording to sink, from a file or from memory (the embedded demo).
// Errors (InvalidArgument): not a recording, newer version, damaged. A file that ends without its
// end mark is not an error: what is there was fed and complete is false.
absl::StatusOr<ReplayInfo> replay_recording(const std::string& path, RecordSink& sink);
absl::StatusOr<ReplayInfo> replay_recording(const void* data, std::size_t bytes, RecordSink& sink);

}  // namespace gapscope
