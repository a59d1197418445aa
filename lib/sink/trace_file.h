// A text file that is written piece by piece, compressed when its name ends in ".gz".
//
// Bounded: two buffers, and room on disk up to a limit with what is needed to end the file kept
// free. Not thread-safe. After open() nothing throws but for memory that zlib asks for at open().
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "record/recording_file.h"

namespace gapscope::sink {

class TraceFile {
 public:
  // Kept free below the limit for the file's end.
  static constexpr std::uint64_t kReserveBytes = 512u << 10;

  // Replaces an existing file; the errors are those of recording::OutputFile.
  static absl::StatusOr<std::unique_ptr<TraceFile>> open(const std::string& path,
                                                         std::uint64_t limit_bytes);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void append(std::string_view text);
  // Whether the limit is so near that the file should be ended.
  bool is_full() const;
  // Writes what is buffered and ends the file; idempotent. The first error of all writes.
  absl::Status close();
  const absl::Status& status() const { return status_; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

 private:
  TraceFile(recording::OutputFile file, bool compressed, std::uint64_t limit_bytes);
  void flush(bool last);
  void write(const void* data, std::size_t bytes);

  recording::OutputFile file_;
  const bool compressed_;
  const std::uint64_t limit_bytes_;
  z_stream stream_{};
  std::string raw_;
  std::vector<unsigned char> out_;
  absl::Status status_;
  bool closed_ = false;
};

}  // namespace gapscope::sink
