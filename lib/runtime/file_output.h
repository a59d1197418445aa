// Writing to files, pipes and devices from inside somebody else's process: it neither waits for a
// reader nor dies of SIGPIPE or SIGXFSZ, and nothing but a file is ever replaced. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gapscope {

// How long a pipe may stand full, or lack a reader at all, before it is given up, in milliseconds.
inline constexpr int kStallMs = 1000;
inline constexpr int kNoStallLimit = -1;

// Replaces a regular file by content: written to a new file beside it, then renamed, so that a
// reader sees the old or the new file whole. No fsync: the death of the process loses no page
// cache. What is at the path already decides (record/output_path.h): devices and pipes are written
// to in place, symbolic links followed where they are trusted and else replaced. A pipe that nobody
// reads is an error at once, unless stall_ms is kNoStallLimit; a reader that goes away is none: it
// wanted no more. The error is one line that names the path.
absl::Status write_file(const std::string& path, std::string_view content, int stall_ms = kStallMs);

// The first half of replacing a file: a new one called partial (what had that name is removed
// first) that holds content; its open descriptor, which the caller closes. An error names path and
// leaves no file.
absl::StatusOr<int> write_new_file(const std::string& partial, std::string_view content,
                                   const std::string& path);

// Writes all of text to a file descriptor, resuming after short writes and signals. 0 or the errno;
// ETIMEDOUT when a descriptor that does not block took nothing for stall_ms.
int write_all(int fd, std::string_view text, int stall_ms = kStallMs);

}  // namespace gapscope
