#include "host/throttle_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gapscope {
namespace {

constexpr std::size_t kMaxPaths = 12;

std::string read_all(int fd) {
  char text[2048];
  const ssize_t n = ::pread(fd, text, sizeof(text), 0);
  return std::string(text, n > 0 ? static_cast<std::size_t>(n) : 0);
}

// The group's folder and those around it, below one hierarchy's mount point.
void add_with_parents(std::vector<std::string>& paths, const std::string& mount,
                      std::string group) {
  while (paths.size() < kMaxPaths) {
    if (group == "/") group.clear();
    paths.push_back(mount + group + "/cpu.stat");
    if (group.empty()) return;
    group.resize(group.rfind('/'));
  }
}

}  // namespace

std::optional<std::uint64_t> throttled_ns(std::string_view cpu_stat) {
  for (std::string_view line : absl::StrSplit(cpu_stat, '\n')) {
    std::uint64_t value = 0;
    if (absl::ConsumePrefix(&line, "throttled_usec ")) {
      if (absl::SimpleAtoi(line, &value)) return value * 1000;
    } else if (absl::ConsumePrefix(&line, "throttled_time ")) {
      if (absl::SimpleAtoi(line, &value)) return value;
    }
  }
  return std::nullopt;
}

std::vector<std::string> cpu_stat_paths(std::string_view proc_self_cgroup,
                                        const std::string& root) {
  std::vector<std::string> paths;
  for (const std::string_view line : absl::StrSplit(proc_self_cgroup, '\n')) {
    // hierarchy:controllers:/group
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3 || parts[2].empty() || parts[2][0] != '/') continue;
    if (parts[0] == "0" && parts[1].empty()) {
      add_with_parents(paths, root, parts[2]);
      continue;
    }
    const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
    if (std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) continue;
    add_with_parents(paths, root + "/" + parts[1], parts[2]);
    if (parts[1] != "cpu") add_with_parents(paths, root + "/cpu", parts[2]);
  }
  return paths;
}

ThrottleWatch::~ThrottleWatch() {
  for (const Group& group : groups_) ::close(group.file);
}

void ThrottleWatch::open(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (const auto ns = throttled_ns(read_all(fd))) {
      groups_.push_back({fd, *ns});
    } else {
      ::close(fd);
    }
  }
}

void ThrottleWatch::open() {
  const int fd = ::open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const std::string text = read_all(fd);
  ::close(fd);
  open(cpu_stat_paths(text, "/sys/fs/cgroup"));
}

std::optional<ThrottleRecord> ThrottleWatch::poll(std::uint64_t now_ns) {
  std::uint64_t growth = 0;
  for (Group& group : groups_) {
    const std::uint64_t ns = throttled_ns(read_all(group.file)).value_or(group.throttled_ns);
    if (ns > group.throttled_ns) growth = std::max(growth, ns - group.throttled_ns);
    group.throttled_ns = ns;
  }
  const std::uint64_t begin = std::exchange(last_ns_, now_ns);
  if (growth == 0 || begin == 0 || begin >= now_ns) return std::nullopt;
  auto record = make_record<ThrottleRecord>();
  record.begin_ns = begin;
  record.end_ns = now_ns;
  record.throttled_ns = growth;
  return record;
}

}  // namespace gapscope
