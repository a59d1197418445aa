#include "record/output_path.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gapscope {
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

bool is_planted(const std::string& folder, const struct stat& entry) {
  if (entry.st_uid == geteuid() || entry.st_uid == 0) return false;
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

bool in_proc(const std::string& folder) {
  struct statfs info {};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

absl::Status error_of(int error) {
  return absl::Status(absl::ErrnoToStatusCode(error), std::strerror(error));
}

absl::StatusOr<OutputKind> kind_of(mode_t mode) {
  if (S_ISREG(mode)) return OutputKind::file;
  if (S_ISCHR(mode)) return OutputKind::device;
  if (S_ISFIFO(mode)) return OutputKind::pipe;
  if (S_ISDIR(mode)) return error_of(EISDIR);
  return absl::InvalidArgumentError(S_ISSOCK(mode) ? "it is a socket" : "it is a block device");
}

}  // namespace

absl::StatusOr<OutputPath> find_output(std::string path) {
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat entry {};
    if (::lstat(path.c_str(), &entry) != 0) {
      if (errno == ENOENT) return OutputPath{std::move(path)};  // opening it tells more
      return error_of(errno);
    }
    const std::string folder = folder_of(path);
    if (is_planted(folder, entry)) return OutputPath{std::move(path), OutputKind::file, true};
    if (!S_ISLNK(entry.st_mode)) {
      const auto kind = kind_of(entry.st_mode);
      if (!kind.ok()) return kind.status();
      return OutputPath{std::move(path), *kind};
    }
    if (in_proc(folder)) return OutputPath{std::move(path), OutputKind::open_file};
    std::array<char, PATH_MAX> target;
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return error_of(errno);
    const std::string to(target.data(), static_cast<std::size_t>(length));
    path = to.front() == '/' ? to : absl::StrCat(folder, "/", to);
  }
  return error_of(ELOOP);
}

}  // namespace gapscope
