#include "runtime/snapshot_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/config.h"
#include "runtime/owned_file.h"

namespace gapscope {
namespace {

constexpr std::string_view kPrefix = "snapshot.";
constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kPartial = ".partial";
constexpr std::string_view kAsk = ".ask";
constexpr std::uint64_t kPartialAgeNs = 600'000'000'000;

absl::Status unusable(const std::string& folder, std::string_view why) {
  return absl::FailedPreconditionError(fmt::format("{} {}", folder, why));
}

// An open descriptor of the folder, if it is safe to use; the caller closes it.
absl::StatusOr<int> open_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return unusable(folder, std::strerror(errno));
  struct stat info {};
  absl::Status status;
  if (fstat(fd, &info) != 0) {
    status = unusable(folder, std::strerror(errno));
  } else if (info.st_uid != geteuid()) {
    status = unusable(folder, "belongs to another user");
  } else if ((info.st_mode & 022) != 0) {
    status = unusable(folder, "can be written by other users");
  }
  if (status.ok()) return fd;
  close(fd);
  return status;
}

// The parts of a name, or nothing when it is another file.
std::optional<SnapshotFile> parse_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  SnapshotFile file;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), file.pid);
  if (error != std::errc() || file.pid <= 0) return std::nullopt;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  if (name.empty()) return file;
  if (name.front() != '.') return std::nullopt;
  file.run_id = std::string(name.substr(1));
  return file;
}

std::uint64_t modified_ns(const struct stat& info) {
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Calls visit(name, stat) for every regular file.
template <typename Visit>
void for_each_file(const std::string& folder, const Visit& visit) {
  const auto fd = open_folder(folder);
  if (!fd.ok()) return;
  const std::unique_ptr<DIR, CloseFolder> entries(fdopendir(*fd));
  if (entries == nullptr) {
    close(*fd);
    return;
  }
  while (const dirent* entry = readdir(entries.get())) {
    struct stat info {};
    if (fstatat(*fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(info.st_mode)) visit(std::string_view(entry->d_name), info);
  }
}

}  // namespace

std::string snapshot_path(const std::string& folder, pid_t pid, const std::string& run_id) {
  return fmt::format("{}/{}{}{}{}{}", folder, kPrefix, pid, run_id.empty() ? "" : ".", run_id,
                     kSuffix);
}

std::string snapshot_ask_path(const std::string& snapshot) { return snapshot + ".ask"; }

absl::Status prepare_snapshot_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return unusable(folder, std::strerror(errno));
  }
  const auto fd = open_folder(folder);
  if (!fd.ok()) return fd.status();
  // Also where a umask or an older hand left it open. Another's own choice of folder stays.
  if (folder == default_snapshot_folder()) (void)fchmod(*fd, 0700);
  close(*fd);
  return absl::OkStatus();
}

std::vector<SnapshotFile> list_snapshots(const std::string& folder) {
  std::vector<SnapshotFile> files;
  for_each_file(folder, [&](std::string_view name, const struct stat& info) {
    auto file = parse_name(name);
    if (!file) return;
    file->path = fmt::format("{}/{}", folder, name);
    file->modified_ns = modified_ns(info);
    file->bytes = static_cast<std::uint64_t>(info.st_size);
    files.push_back(*std::move(file));
  });
  std::sort(files.begin(), files.end(), [](const SnapshotFile& a, const SnapshotFile& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : a.path < b.path;
  });
  return files;
}

void clear_old_snapshots(const std::string& folder, std::uint64_t now_ns) {
  const auto older_than = [now_ns](std::uint64_t modified, std::uint64_t age_ns) {
    return modified < now_ns && now_ns - modified > age_ns;
  };
  std::size_t dead = 0;
  for (const SnapshotFile& file : list_snapshots(folder)) {
    // Not even a look at our own: closing it would give up our lock.
    if (file.pid == getpid() || is_owned_by_another(file.path)) continue;
    if (++dead > kSnapshotMaxFiles || older_than(file.modified_ns, kSnapshotMaxAgeNs)) {
      unlink(file.path.c_str());
    }
  }
  for_each_file(folder, [&](std::string_view name, const struct stat& info) {
    // Left by a process that was killed while it wrote, or while it waited.
    const bool left = name.ends_with(kPartial) || name.ends_with(kAsk);
    if (!name.starts_with(kPrefix) || !left || !older_than(modified_ns(info), kPartialAgeNs))
      return;
    unlink(fmt::format("{}/{}", folder, name).c_str());
  });
}

bool has_room(const std::string& folder, std::uint64_t bytes) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return true;  // the write will tell
  return std::uint64_t{info.f_bavail} * info.f_frsize / 4 >= bytes;
}

}  // namespace gapscope
