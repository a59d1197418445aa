#include "runtime/file_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "record/output_path.h"
#include "runtime/clock.h"

namespace gapscope {
namespace {

// Makes errors of the signals that a write of this thread may raise, also where the program has a
// handler for them or lets them end it.
class WriteSignalsBlocked {
 public:
  WriteSignalsBlocked() {
    sigset_t pending;
    sigpending(&pending);
    sigset_t both;
    sigemptyset(&both);
    sigemptyset(&ours_);
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      sigaddset(&both, number);
      if (sigismember(&pending, number) == 0) sigaddset(&ours_, number);
    }
    pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  WriteSignalsBlocked(const WriteSignalsBlocked&) = delete;
  WriteSignalsBlocked& operator=(const WriteSignalsBlocked&) = delete;
  ~WriteSignalsBlocked() {
    const timespec none{};
    int taken = 0;
    do {
      taken = sigtimedwait(&ours_, nullptr, &none);
    } while (taken > 0 || (taken < 0 && errno == EINTR));
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
  sigset_t ours_;  // not pending before us: whatever is pending of these after us, we raised
};

// Until fd takes more or will never. Signals of the program's timers do not prolong it.
bool wait_until_writable(int fd, int stall_ms) {
  const std::uint64_t deadline = monotonic_ns() + static_cast<std::uint64_t>(stall_ms) * 1'000'000;
  pollfd waiting{fd, POLLOUT, 0};
  while (true) {
    const std::uint64_t now = monotonic_ns();
    const int left_ms = stall_ms < 0     ? -1
                        : now < deadline ? static_cast<int>((deadline - now + 999'999) / 1'000'000)
                                         : 0;
    const int ready = poll(&waiting, 1, left_ms);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
}

absl::Status io_error(const std::string& path, const char* reason) {
  return absl::UnavailableError(fmt::format("cannot write {}: {}", path, reason));
}

absl::Status replace_file(const std::string& path, const std::string& target,
                          std::string_view content) {
  const std::string partial = fmt::format("{}.{}.partial", target, getpid());
  const auto fd = write_new_file(partial, content, path);
  if (!fd.ok()) return fd.status();
  close(*fd);
  if (rename(partial.c_str(), target.c_str()) == 0) return absl::OkStatus();
  const absl::Status status = io_error(path, std::strerror(errno));
  unlink(partial.c_str());
  return status;
}

absl::Status write_in_place(const std::string& path, const OutputPath& target,
                            std::string_view content, int stall_ms) {
  int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  // The end of a file that the program writes to itself is where both can stand.
  flags |= target.kind == OutputKind::open_file ? O_APPEND : O_NOFOLLOW;
  if (stall_ms >= 0) flags |= O_NONBLOCK;
  const int fd = open(target.path.c_str(), flags);
  if (fd < 0) {
    const bool no_reader = errno == ENXIO && target.kind == OutputKind::pipe;
    return io_error(path, no_reader ? "nobody reads this pipe" : std::strerror(errno));
  }
  const int error = write_all(fd, content, stall_ms);
  close(fd);
  if (error == ETIMEDOUT) return io_error(path, "its reader has stopped reading");
  if (error == 0 || error == EPIPE) return absl::OkStatus();
  return io_error(path, std::strerror(error));
}

}  // namespace

absl::Status write_file(const std::string& path, std::string_view content, int stall_ms) {
  const auto target = find_output(path);
  if (!target.ok()) return io_error(path, std::string(target.status().message()).c_str());
  if (target->kind == OutputKind::file) return replace_file(path, target->path, content);
  return write_in_place(path, *target, content, stall_ms);
}

absl::StatusOr<int> write_new_file(const std::string& partial, std::string_view content,
                                   const std::string& path) {
  unlink(partial.c_str());
  const int fd = open(partial.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return io_error(path, std::strerror(errno));
  const int error = write_all(fd, content);
  if (error == 0) return fd;
  close(fd);
  unlink(partial.c_str());
  return io_error(path, std::strerror(error));
}

int write_all(int fd, std::string_view text, int stall_ms) {
  const WriteSignalsBlocked blocked;
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (n == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      if (!wait_until_writable(fd, stall_ms)) return ETIMEDOUT;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace gapscope
