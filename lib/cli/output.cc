#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/strings/str_cat.h"
#include "runtime/file_output.h"

namespace gapscope::cli {
void print_error(std::string_view message) {
  std::string line = absl::StrCat("gapscope: ", message);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line += '\n';
  (void)write_all(STDERR_FILENO, line,
                  kNoStallLimit);  // there is no better place to say that this failed
}

absl::Status write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text, kNoStallLimit);
  if (error == 0 || error == EPIPE) return absl::OkStatus();
  return absl::ErrnoToStatus(error, "cannot write to standard output");
}

absl::Status write_output(const std::string& path, std::string_view text) {
  if (path == "-") return write_stdout(text);
  return write_file(path, text, kNoStallLimit);
}

void prepare_standard_streams() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // Read-only, so that writing to a closed stdout still fails and is noticed; not for children,
    // which are to find it closed as well.
    const int opened = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (opened >= 0 && opened != fd) {
      dup3(opened, fd, O_CLOEXEC);
      ::close(opened);
    }
  }
}

}  // namespace gapscope::cli
