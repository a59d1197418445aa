#include "environment/file_view.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gapscope::environment {

std::string FileView::full(std::string_view path) const { return absl::StrCat(root_, path); }

std::string FileView::read(std::string_view path, std::size_t max_bytes, std::size_t offset) const {
  std::string text;
  // Never waits for the other end of a pipe, never takes a terminal.
  const int fd = ::open(full(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return text;
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      (offset == 0 || ::lseek(fd, static_cast<off_t>(offset), SEEK_SET) >= 0)) {
    char chunk[16384];
    while (text.size() < max_bytes) {
      const ssize_t n = ::read(fd, chunk, std::min(sizeof chunk, max_bytes - text.size()));
      if (n <= 0) break;
      text.append(chunk, static_cast<std::size_t>(n));
    }
  }
  ::close(fd);
  return text;
}

std::vector<std::string> FileView::list(std::string_view path, std::size_t max_names) const {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(full(path).c_str()), &::closedir);
  if (!folder) return names;
  while (names.size() < max_names) {
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string FileView::link(std::string_view path) const {
  char target[PATH_MAX];
  const ssize_t n = ::readlink(full(path).c_str(), target, sizeof target);
  return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : std::string();
}

bool FileView::exists(std::string_view path) const {
  struct stat info {};
  return ::stat(full(path).c_str(), &info) == 0;
}

std::string FileView::real_path(std::string_view path) const {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(full(path).c_str(), nullptr),
                                                    &std::free);
  if (!real) return std::string(path);
  const std::string_view resolved = real.get();
  return std::string(absl::StartsWith(resolved, root_) ? resolved.substr(root_.size()) : resolved);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool lies_below(std::string_view path, std::string_view folder) {
  while (!folder.empty() && folder.back() == '/') folder.remove_suffix(1);
  return absl::StartsWith(path, folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace gapscope::environment
