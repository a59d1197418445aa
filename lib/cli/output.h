// Where the command line's results and errors go. Single-threaded.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gapscope::cli {

// One line on stderr, "gapscope: message"; line breaks in it become blanks.
void print_error(std::string_view message);

// To stdout; OK also when its reader has gone (a closed pipe): it wanted no more.
absl::Status write_stdout(std::string_view text);

// As runtime/file_output.h's write_file, but waits for whoever reads a pipe; "-" is stdout.
absl::Status write_output(const std::string& path, std::string_view text);

// Keeps file descriptors 0 to 2 from being taken by files that are opened later, and makes a closed
// pipe an error instead of a signal (by blocking the signal: a child that unblocks it finds it as
// it was). Call once, first in main().
void prepare_standard_streams();

}  // namespace gapscope::cli
