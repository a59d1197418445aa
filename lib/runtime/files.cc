#include "runtime/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "runtime/clock.h"
#include "runtime/file_output.h"

namespace gapscope {
namespace {

std::string read_small_file(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char chunk[4096];
  ssize_t n = 0;
  while (text.size() < 65536 && (n = read(fd, chunk, sizeof chunk)) > 0) {
    text.append(chunk, static_cast<std::size_t>(n));
  }
  close(fd);
  return text;
}

}  // namespace

void complain(std::string_view message) {
  write_all(STDERR_FILENO, fmt::format("gapscope[{}]: {}\n", getpid(), message));
}

std::string command_line() {
  std::string text = read_small_file("/proc/self/cmdline");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text.substr(0, 2048);
}

int allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  int cpus = CPU_COUNT(&set);
  // "max 100000" or "quota period", of a container that sees its own group as the root.
  const std::string limit = read_small_file("/sys/fs/cgroup/cpu.max");
  long long quota = 0;
  long long period = 0;
  if (std::sscanf(limit.c_str(), "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0) {
    cpus = static_cast<int>(std::min<long long>(cpus, (quota + period - 1) / period));
  }
  return cpus;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::uint64_t process_start_ns() {
  // Field 22, in clock ticks since boot; the name in field 2 may hold blanks and brackets.
  const std::string stat = read_small_file("/proc/self/stat");
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return now_ns();
  const auto ticks_per_s = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  // The tick after, so that what was finished just before the process began counts as earlier.
  const std::uint64_t ticks = std::strtoull(stat.c_str() + at, nullptr, 10) + 1;
  const std::uint64_t since_boot_ns = ticks * (1'000'000'000u / ticks_per_s);
  const std::uint64_t up_ns = clock_ns(CLOCK_BOOTTIME);
  return up_ns > since_boot_ns ? now_ns() - (up_ns - since_boot_ns) : now_ns();
}

std::string thread_name(std::uint32_t os_thread_id) {
  std::string name = read_small_file(fmt::format("/proc/self/task/{}/comm", os_thread_id));
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

}  // namespace gapscope
