// Small things asked of the operating system. No function here throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gapscope {

// One line on stderr: "gapscope[PID]: message", written with one write.
void complain(std::string_view message);

std::string command_line();  // /proc/self/cmdline, blanks between arguments
int allowed_cpus();          // by affinity and cgroup cpu.max, rounded up; 0 if unknown
std::string host_name();
std::uint64_t process_start_ns();  // CLOCK_REALTIME, to 20 ms; now when /proc does not tell
std::string thread_name(std::uint32_t os_thread_id);  // "" when it has gone

}  // namespace gapscope
