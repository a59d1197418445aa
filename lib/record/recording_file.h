// The file that a recording is written to. Part of recording.h's implementation. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gapscope::recording {

class OutputFile {
 public:
  // Creates or empties a regular file (a character device such as /dev/null is taken too).
  // what: its name in messages, "the recording".
  static absl::StatusOr<OutputFile> open(const std::string& path,
                                         const std::string& what = "the recording");
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // All of it or an error; after an error the file ends where it did before the call, as far as the
  // file system allows.
  absl::Status append(const void* data, std::size_t bytes);

  // Of this process's limit on file sizes: to exceed it would be a signal, not an error.
  std::uint64_t size_limit() const;
  std::uint64_t bytes_written() const { return bytes_; }
  // False in a forked child, which shares the file's offset with its parent.
  bool owned_by_this_process() const;

 private:
  OutputFile(std::string name, int fd);

  std::string name_;  // in messages: what it is, and its path
  int fd_;
  pid_t owner_;
  std::uint64_t bytes_ = 0;
};

}  // namespace gapscope::recording
