// Where output that a user named by a path may go: one rule for recordings, reports and pages.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gapscope {

enum class OutputKind {
  file,       // a regular one, or nothing yet: may be replaced by a rename
  device,     // a character device: written in place, never replaced
  pipe,       // likewise
  open_file,  // a link of /proc to a file that is open already (/dev/stdout): append to it
};

struct OutputPath {
  std::string path;  // with the last component's symbolic links followed, except for open_file
  OutputKind kind = OutputKind::file;
  // In a folder that everybody may write to, and somebody else's: it may be replaced by a rename,
  // but never be followed or written into. `kind` is file then, whatever is there.
  bool planted = false;
};

// Symbolic links are followed where they are trusted: those of this process's user or of root, and
// any outside the folders that everybody may write to (as Linux's protected_symlinks has it, which
// is not switched on everywhere). Folders, sockets and block devices are errors (their text is the
// reason alone, without the path); a missing file is none. Opens nothing. Thread-safe. What is
// found may change before it is opened: open it with O_NOFOLLOW, unless it is an open_file.
absl::StatusOr<OutputPath> find_output(std::string path);

}  // namespace gapscope
