// Whether the kernel held this process back because its control group had used up its CPU quota:
// cpu.stat of the group and of the groups around it (each may have a quota of its own).
//
// Thread-safety: one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"

namespace gapscope {

// throttled_usec (v2) or throttled_time (v1) of a cpu.stat, in nanoseconds.
std::optional<std::uint64_t> throttled_ns(std::string_view cpu_stat);

// Files that may be the process's cpu.stat, from /proc/self/cgroup and where the hierarchies are
// mounted (normally /sys/fs/cgroup), innermost first, at most a dozen.
std::vector<std::string> cpu_stat_paths(std::string_view proc_self_cgroup, const std::string& root);

class ThrottleWatch {
 public:
  ThrottleWatch() = default;
  ~ThrottleWatch();
  ThrottleWatch(const ThrottleWatch&) = delete;
  ThrottleWatch& operator=(const ThrottleWatch&) = delete;

  void open(const std::vector<std::string>& paths);
  void open();  // of this process
  bool any() const { return !groups_.empty(); }

  // The time since the last call as a record if some group was throttled in it: the largest growth,
  // since a wait counts in every group that it is due to.
  std::optional<ThrottleRecord> poll(std::uint64_t now_ns);

 private:
  struct Group {
    int file;
    std::uint64_t throttled_ns;
  };
  std::vector<Group> groups_;
  std::uint64_t last_ns_ = 0;
};

}  // namespace gapscope
