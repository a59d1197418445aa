#include "host/thread_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/system_calls.h"

namespace gapscope {
namespace {

constexpr const char* kFileNames[] = {"stat", "syscall", "wchan", "schedstat", "comm"};

// "pipe", "socket", the path of a device, "file"; of others what the system calls them ("eventfd").
std::string descriptor_kind(std::uint64_t fd) {
  struct stat status {};
  if (fd > 1u << 24 || ::fstat(static_cast<int>(fd), &status) != 0) return "file";
  if (S_ISFIFO(status.st_mode)) return "pipe";  // a named one too
  if (S_ISSOCK(status.st_mode)) return "socket";
  if (S_ISDIR(status.st_mode)) return "folder";
  if (S_ISREG(status.st_mode)) return "file";
  char target[64];
  const std::string link = fmt::format("/proc/self/fd/{}", fd);
  const ssize_t n = ::readlink(link.c_str(), target, sizeof(target));
  const std::string_view text(target, n > 0 ? static_cast<std::size_t>(n) : 0);
  constexpr std::string_view kAnonymous = "anon_inode:";
  if (text.substr(0, kAnonymous.size()) == kAnonymous) {
    return std::string(text.substr(kAnonymous.size()));
  }
  return text.substr(0, 5) == "/dev/" ? std::string(text) : "file";
}

}  // namespace

ThreadProbe::ThreadProbe(std::uint32_t os_tid) : os_tid_(os_tid) {
  for (int& file : files_) file = -1;
}

ThreadProbe::~ThreadProbe() { close_files(); }

ThreadProbe::ThreadProbe(ThreadProbe&& other) noexcept : os_tid_(other.os_tid_) {
  for (int i = 0; i < kFiles; ++i) {
    files_[i] = other.files_[i];
    other.files_[i] = -1;
  }
}

ThreadProbe& ThreadProbe::operator=(ThreadProbe&& other) noexcept {
  if (this == &other) return *this;
  close_files();
  os_tid_ = other.os_tid_;
  for (int i = 0; i < kFiles; ++i) {
    files_[i] = other.files_[i];
    other.files_[i] = -1;
  }
  return *this;
}

void ThreadProbe::close_files() noexcept {
  for (int& file : files_) {
    if (file >= 0) ::close(file);
    file = -1;
  }
}

bool ThreadProbe::cpu_ns(std::uint64_t* ns) const noexcept {
  timespec t{};
  if (::clock_gettime(thread_cpu_clock(os_tid_), &t) != 0) return false;
  *ns =
      static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
  return true;
}

bool ThreadProbe::read_file(File file, char* buffer, std::size_t size) {
  int& fd = files_[file];
  if (fd == -1) {
    const std::string path = fmt::format("/proc/self/task/{}/{}", os_tid_, kFileNames[file]);
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = -2;
  }
  if (fd < 0) return false;
  const ssize_t n = ::pread(fd, buffer, size - 1, 0);
  if (n < 0) {
    ::close(fd);
    fd = -2;
    return false;
  }
  buffer[n] = '\0';
  return true;
}

bool ThreadProbe::runnable_ns(std::uint64_t* ns) {
  char text[96];
  if (!read_file(kSchedule, text, sizeof(text))) return false;
  char* end = nullptr;
  std::strtoull(text, &end, 10);  // time on a CPU
  if (end == text) return false;
  *ns = std::strtoull(end, nullptr, 10);
  return true;
}

std::string ThreadProbe::name() const {
  char text[32];
  const std::string path = fmt::format("/proc/self/task/{}/comm", os_tid_);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t n = ::read(fd, text, sizeof(text));
  ::close(fd);
  std::string_view name(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  if (!name.empty() && name.back() == '\n') name.remove_suffix(1);
  return std::string(name);
}

ThreadWait ThreadProbe::wait() {
  ThreadWait wait;
  char text[512];
  if (read_file(kStat, text, sizeof(text))) wait.state = parse_stat_state(text);
  if (wait.state == 'R') return wait;
  SystemCallState call;
  if (read_file(kSystemCall, text, sizeof(text)) && parse_system_call(text, &call)) {
    if (call.running) {
      wait.state = 'R';  // woken since
      return wait;
    }
    wait.where = describe_system_call(call);
    wait.argument = call.argument;
  }
  if (wait.where.empty() && read_file(kWaitChannel, text, sizeof(text)) &&
      std::strcmp(text, "0") != 0) {
    wait.where = text;
  }
  return wait;
}

bool ThreadProbe::is_runnable() {
  char text[512];
  if (read_file(kSystemCall, text, sizeof(text))) return std::strncmp(text, "running", 7) == 0;
  return read_file(kStat, text, sizeof(text)) && parse_stat_state(text) == 'R';
}

bool parse_system_call(const char* text, SystemCallState* state) {
  *state = {};
  if (std::strncmp(text, "running", 7) == 0) {
    state->running = true;
    return true;
  }
  char* end = nullptr;
  state->number = std::strtol(text, &end, 10);
  if (end == text) return false;
  if (state->number >= 0) state->argument = std::strtoull(end, nullptr, 16);
  return true;
}

// The name in parentheses may hold anything, parentheses too: the state follows the last one.
char parse_stat_state(const char* text) {
  const char* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ' || at[2] == '\0') return '?';
  return at[2];
}

std::string describe_system_call(const SystemCallState& state) {
  if (state.number < 0) return {};
  const std::string_view name = system_call_name(state.number);
  if (name.empty()) return fmt::format("system call {}", state.number);
  if (!takes_file_descriptor(name)) return std::string(name);
  return fmt::format("{}({})", name, descriptor_kind(state.argument));
}

}  // namespace gapscope
