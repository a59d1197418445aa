#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/strings/str_cat.h"
#include "runtime/files.h"

namespace gapscope::cli {
namespace {

// 0 or the errno.
int write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

absl::Status write_in_place(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  int error = fd < 0 ? errno : 0;
  if (fd >= 0) {
    error = write_fully(fd, text);
    ::close(fd);
  }
  if (error == 0 || error == EPIPE) return absl::OkStatus();
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path));
}

}  // namespace

void print_error(std::string_view message) {
  std::string line = absl::StrCat("gapscope: ", message);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line += '\n';
  (void)write_fully(STDERR_FILENO, line);  // there is no better place to say that this failed
}

absl::Status write_stdout(std::string_view text) {
  const int error = write_fully(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return absl::OkStatus();
  return absl::ErrnoToStatus(error, "cannot write to standard output");
}

absl::Status write_output(const std::string& path, std::string_view text) {
  if (path == "-") return write_stdout(text);
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return write_in_place(path, text);
  return write_file(path, text);
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
