// Small things asked of the operating system. No function here throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gapscope {

// Replaces path by content: written to a new file beside it (never through a symbolic link), then
// renamed, so that a reader sees the old or the new file whole. No fsync: the death of the process
// loses no page cache.
absl::Status write_file(const std::string& path, std::string_view content);

// One line on stderr: "gapscope[PID]: message", written with one write.
void complain(std::string_view message);

// Writes all of text to a file descriptor, resuming after short writes and signals.
void write_all(int fd, std::string_view text);

std::string command_line();  // /proc/self/cmdline, blanks between arguments
int allowed_cpus();          // by affinity and cgroup cpu.max, rounded up; 0 if unknown
std::string host_name();
std::string thread_name(std::uint32_t os_thread_id);  // "" when it has gone

}  // namespace gapscope
