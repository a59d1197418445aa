#include "record/recording_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gapscope::recording {
namespace {

absl::Status error_of(int error, const std::string& path) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot read ", path));
}

}  // namespace

FileSource::FileSource(std::string path, int fd, std::uint64_t total)
    : path_(std::move(path)), fd_(fd), total_(total) {}

FileSource::~FileSource() { ::close(fd_); }

absl::StatusOr<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return error_of(errno, path);
  struct stat info {};
  const bool sized = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  return std::unique_ptr<FileSource>(
      new FileSource(path, fd, sized ? static_cast<std::uint64_t>(info.st_size) : 0));
}

absl::StatusOr<std::size_t> FileSource::read(void* to, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t n = ::read(fd_, static_cast<char*>(to) + got, bytes - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_of(errno, path_);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  done_ += got;
  return got;
}

MemorySource::MemorySource(const void* data, std::size_t bytes)
    : data_(static_cast<const std::uint8_t*>(data)), total_(bytes) {}

absl::StatusOr<std::size_t> MemorySource::read(void* to, std::size_t bytes) {
  const std::size_t got = std::min(bytes, total_ - static_cast<std::size_t>(done_));
  if (got > 0) std::memcpy(to, data_ + done_, got);
  done_ += got;
  return got;
}

}  // namespace gapscope::recording
