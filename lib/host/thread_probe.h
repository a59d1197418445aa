// One thread of this process, seen from outside: how long it ran, and what it waits in.
//
// Everything comes from its CPU clock and from files under /proc/self/task, kept open. Containers
// may hide some of them; then less is known, and nothing fails.
//
// Thread-safety: one owner.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>

namespace gapscope {

// The clock of another thread's CPU time, from its id alone.
constexpr clockid_t thread_cpu_clock(std::uint32_t os_tid) {
  return static_cast<clockid_t>(~os_tid << 3 | 6);  // CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED
}

struct ThreadWait {
  char state = '?';            // of /proc/.../stat, 'R' for a thread that waits for a CPU only
  std::string where;           // "futex", "read(pipe)", a wait channel; "" when it does not wait
  std::uint64_t argument = 0;  // first argument of the system call
};

class ThreadProbe {
 public:
  explicit ThreadProbe(std::uint32_t os_tid);
  ~ThreadProbe();
  ThreadProbe(ThreadProbe&& other) noexcept;
  ThreadProbe& operator=(ThreadProbe&& other) noexcept;

  std::uint32_t os_tid() const { return os_tid_; }
  // CPU time since the thread's begin; false when it has ended.
  bool cpu_ns(std::uint64_t* ns) const noexcept;
  // Time that it spent ready to run, without a CPU; false when the kernel does not say.
  bool runnable_ns(std::uint64_t* ns);
  ThreadWait wait();
  // Whether it runs or could: the cheaper question. False when it cannot be told.
  bool is_runnable();
  std::string name() const;  // comm, "" when it has gone

 private:
  enum File : int { kStat, kSystemCall, kWaitChannel, kSchedule, kName, kFiles };

  // Into a buffer of size bytes, NUL-terminated; false when the file cannot be had.
  bool read_file(File file, char* buffer, std::size_t size);
  void close_files() noexcept;

  std::uint32_t os_tid_;
  int files_[kFiles];  // -1: not opened yet, -2: not to be had
};

// What /proc/PID/task/TID/syscall says.
struct SystemCallState {
  bool running = false;
  long number = -1;  // -1: blocked outside any system call
  std::uint64_t argument = 0;
};
bool parse_system_call(const char* text, SystemCallState* state);
char parse_stat_state(const char* text);  // '?' when it is none

// "futex", "read(socket)", "ioctl(/dev/nvidiactl)"
std::string describe_system_call(const SystemCallState& state);

}  // namespace gapscope
