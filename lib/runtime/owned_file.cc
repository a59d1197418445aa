#include "runtime/owned_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "record/output_path.h"
#include "runtime/file_output.h"

namespace gapscope {
namespace {

constexpr int kMaxNames = 4;
constexpr int kMaxTries = 100;  // each lost against another process that made progress

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// A lock of the process, which a forked child does not inherit. False only when another process
// holds it: file systems without locks are no reason not to write.
bool lock_file(int fd) {
  struct flock lock = whole_file(F_WRLCK);
  return fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

std::uint64_t modified_ns(const struct stat& info) {
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

// "report.json" and 12 give "report.12.json".
std::string with_number(const std::string& path, const std::string& number) {
  const std::size_t slash = path.rfind('/') + 1;  // 0 without one
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= slash) return path + "." + number;
  return path.substr(0, dot) + "." + number + path.substr(dot);
}

}  // namespace

OwnedFile::OwnedFile(std::string path, std::uint64_t since_ns)
    : since_ns_(since_ns), path_(std::move(path)) {}

OwnedFile::~OwnedFile() { release(); }

// The program may have closed every descriptor that it did not know: then the number can be that
// of a file of its own by now.
void OwnedFile::release() {
  struct stat info {};
  const bool ours =
      fd_ >= 0 && fstat(fd_, &info) == 0 && info.st_ino == inode_ && info.st_dev == device_;
  if (ours) close(fd_);
  fd_ = -1;
}

void OwnedFile::keep(int fd) {
  struct stat info {};
  release();
  if (fstat(fd, &info) != 0) return;
  fd_ = fd;
  inode_ = info.st_ino;
  device_ = info.st_dev;
}

absl::Status OwnedFile::write(std::string_view content) {
  if (!owned_) {
    const auto target = find_output(path_);
    if (!target.ok() || target->kind != OutputKind::file) return write_file(path_, content);
    path_ = target->path;
  }
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const std::string partial = fmt::format("{}.{}.partial", path_, getpid());
    auto fd = write_new_file(partial, content, path_);
    if (!fd.ok()) return fd.status();
    // Before the file gets its name, so that nobody ever finds it there unlocked.
    lock_file(*fd);
    const Placed placed = place(partial);
    const int error = errno;
    if (placed == Placed::here) {
      keep(*fd);
      owned_ = true;
      return absl::OkStatus();
    }
    close(*fd);
    unlink(partial.c_str());
    if (placed == Placed::failed) {
      return absl::UnavailableError(
          fmt::format("cannot write {}: {}", path_, std::strerror(error)));
    }
    if (placed == Placed::elsewhere) {
      if (names_tried_ == kMaxNames) break;
      take_other_name();
    }
  }
  return absl::UnavailableError(
      fmt::format("cannot write {}: other processes write it (%p in the name gives each process "
                  "its own)",
                  first_name_));
}

OwnedFile::Placed OwnedFile::place(const std::string& partial) {
  if (owned_) {
    return rename(partial.c_str(), path_.c_str()) == 0 ? Placed::here : Placed::failed;
  }
  // link: whoever is first gets the name, with the content already in the file.
  if (link(partial.c_str(), path_.c_str()) == 0) {
    unlink(partial.c_str());
    return Placed::here;
  }
  return replace_what_is_there(partial, errno);
}

OwnedFile::Placed OwnedFile::replace_what_is_there(const std::string& partial, int link_error) {
  const int old = open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (old < 0 && errno == ENOENT && link_error == EEXIST) return Placed::again;  // gone meanwhile
  struct stat opened {};
  struct stat named {};
  Placed placed = Placed::here;
  if (old >= 0 && fstat(old, &opened) == 0 && S_ISREG(opened.st_mode)) {
    if (!lock_file(old)) {
      placed = Placed::elsewhere;
    } else if (lstat(path_.c_str(), &named) != 0 || named.st_ino != opened.st_ino ||
               named.st_dev != opened.st_dev) {
      placed = Placed::again;
    } else if (modified_ns(opened) > since_ns_) {
      placed = Placed::elsewhere;
    }
  }
  // A link, a file that cannot be opened, a file system without links: the rename decides.
  if (placed == Placed::here && rename(partial.c_str(), path_.c_str()) != 0) {
    placed = Placed::failed;
  }
  const int error = errno;
  if (old >= 0) close(old);
  errno = error;
  return placed;
}

void OwnedFile::take_other_name() {
  const std::string number = names_tried_ == 0 ? fmt::format("{}", getpid())
                                               : fmt::format("{}-{}", getpid(), names_tried_ + 1);
  if (names_tried_ == 0) first_name_ = path_;
  path_ = with_number(first_name_, number);
  renamed_ = true;
  ++names_tried_;
}

bool is_owned_by_another(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  struct flock lock = whole_file(F_WRLCK);
  const bool owned = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return owned;
}

}  // namespace gapscope
