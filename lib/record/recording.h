// The recording format (.gsrec): the neutral record stream on disk, compressed.
//
//   header   magic "GSREC\0", u16 format version, u32 flags, reserved: 32 bytes, little endian
//   chunks   u32 raw_bytes, u32 stored_bytes, u32 crc32 of the raw bytes, then zlib data
//   end      a chunk with raw_bytes 0 (recording_format.h); its absence means that the recording
//            was cut off
//
// A chunk holds whole records. Nothing read from a file is trusted: sizes, kinds and counts are
// checked before use, memory is bounded by kMaxChunkBytes whatever the file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
// stops it and is kept in status(). Memory: about 1 MiB, all of it taken by open().
//
// What is buffered reaches the file when a chunk is full, and once a second of the ticks that pass
// by, so that little is lost when the process is killed. A forked child's copy writes nothing.
class RecordingWriter final : public RecordSink {
 public:
  // Replaces an existing file. Errors name the path: it cannot be written, is no regular file, or
  // another process is recording to it. Never waits for anybody (pipes, locks).
  static absl::StatusOr<std::unique_ptr<RecordingWriter>> open(const std::string& path,
                                                               std::uint64_t limit_bytes);
  ~RecordingWriter() override;  // closes
  void consume(const RecordHeader& record) override;
  absl::Status close();  // flushes and writes the end mark; idempotent; status() after it
  bool stopped() const;  // at the limit, or by an error
  std::uint64_t bytes_written() const;
  absl::Status status() const;  // OK also when stopped at the limit

 private:
  class Impl;
  explicit RecordingWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ReplayInfo {
  std::uint64_t records = 0;
  bool complete = false;          // the end mark was there
  bool stopped_at_limit = false;  // complete, but its writer had reached its limit
  bool write_failed = false;      // complete, but its writer could not write all
  std::uint64_t unknown = 0;      // records of kinds that only a newer version knows: not fed
};

// Called now and then with the bytes of the file that have been read and its size.
using ReplayProgress = std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

// Feeds every record of a recording to sink, from a file or from memory (the embedded demo).
// Records lie at multiples of 8 bytes and are valid during the call. A chunk is checked whole
// before any of it is fed. Errors: NotFound and the like for a file that cannot be read;
// InvalidArgument: not a recording, newer version, damaged (what came before the damage was fed). A
// file that ends without its end mark is not an error: what is there was fed and complete is false.
// Messages are one line and name the file.
absl::StatusOr<ReplayInfo> replay_recording(const std::string& path, RecordSink& sink,
                                            const ReplayProgress& progress = {});
absl::StatusOr<ReplayInfo> replay_recording(const void* data, std::size_t bytes, RecordSink& sink);

}  // namespace gapscope
