// Runs a program as if it had been started directly: its signals, its exit code.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/config.h"

namespace gapscope::cli {

struct ChildResult {
  bool started = false;  // else error is set, and code is what a shell would return: 126 or 127
  std::string error;
  int code = 0;    // exit status
  int signal = 0;  // that ended it, 0 if none
  pid_t pid = 0;   // it had
};

// Runs command[0], found as execvp finds it, with this environment, and waits for its end. Signals
// that are sent to this process meanwhile are passed on; those of the terminal reach the child by
// themselves. When this process dies the child gets SIGTERM. Call from the only thread.
ChildResult run_child(const std::vector<std::string>& command, const Environment& environment);

// Ends this process the way the child ended; returns the exit code when that is possible with an
// exit code only.
int end_like(const ChildResult& result);

}  // namespace gapscope::cli
