#include "record/recording_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "record/output_path.h"

namespace gapscope::recording {
namespace {

absl::Status error_of(int error, const std::string& name) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", name));
}

// Two writers would leave garbage. Only a lock that another process holds counts: file systems
// without locks are no reason not to record.
bool held_by_another(int fd) { return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

}  // namespace

OutputFile::OutputFile(std::string name, int fd)
    : name_(std::move(name)), fd_(fd), owner_(getpid()) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      owner_(other.owner_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<OutputFile> OutputFile::open(const std::string& path, const std::string& what) {
  const std::string name = absl::StrCat(what, " ", path);
  const auto found = find_output(path);
  if (!found.ok()) {
    return absl::Status(found.status().code(),
                        absl::StrCat("cannot write ", name, ": ", found.status().message()));
  }
  if (found->planted) {
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot write ", name, ": it is somebody else's, in a folder that everybody may write to"));
  }
  // O_NONBLOCK: opening a pipe that nobody reads would wait for a reader.
  const int link = found->kind == OutputKind::open_file ? 0 : O_NOFOLLOW;
  const int fd = ::open(found->path.c_str(),
                        O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | link, 0666);
  if (fd < 0) return error_of(errno, name);
  OutputFile file(name, fd);
  struct stat info {};
  if (fstat(fd, &info) != 0) return error_of(errno, name);
  if (S_ISCHR(info.st_mode)) return file;
  // A file that the program writes to itself would be emptied under it.
  const bool shared = found->kind == OutputKind::open_file;
  if (shared || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write ", name,
                     shared ? ": the program has it open itself" : ": not a regular file"));
  }
  if (held_by_another(fd)) {
    return absl::UnavailableError(absl::StrCat("cannot write ", name,
                                               ": another process is writing to it (%p in the "
                                               "name gives each process its own)"));
  }
  if (ftruncate(fd, 0) != 0) return error_of(errno, name);
  return file;
}

absl::Status OutputFile::append(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  std::size_t left = bytes;
  while (left > 0) {
    const ssize_t n = ::write(fd_, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const absl::Status status = error_of(n < 0 ? errno : EIO, name_);
      // Best effort: what was there stays readable without the half-written end.
      if (ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) {
        (void)lseek(fd_, static_cast<off_t>(bytes_), SEEK_SET);
      }
      return status;
    }
    at += n;
    left -= static_cast<std::size_t>(n);
  }
  bytes_ += bytes;
  return absl::OkStatus();
}

std::uint64_t OutputFile::size_limit() const {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return limit.rlim_cur;
}

bool OutputFile::owned_by_this_process() const { return getpid() == owner_; }

}  // namespace gapscope::recording
