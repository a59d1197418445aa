#include "cli/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace gapscope::cli {
namespace {

constexpr int kNotFound = 127;  // as shells do
constexpr int kNotExecutable = 126;
constexpr int kSignalBase = 128;

// Passed on when another process sends them here.
constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

sigset_t waited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kForwarded) sigaddset(&set, signal);
  sigaddset(&set, SIGCHLD);
  return set;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// In the child, between fork and exec: async-signal-safe calls only. Reports a failed exec through
// the pipe.
[[noreturn]] void exec_in_child(char** argv, char** envp, const sigset_t& mask, pid_t parent,
                                int error_pipe) {
  sigset_t own = mask;
  sigdelset(&own, SIGPIPE);  // blocked by us, not by whoever started us
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kSignalBase + SIGTERM);
  pthread_sigmask(SIG_SETMASK, &own, nullptr);
  execvpe(argv[0], argv, envp);
  const int error = errno;
  (void)!write(error_pipe, &error, sizeof(error));
  _exit(error == ENOENT ? kNotFound : kNotExecutable);
}

// The errno of a failed exec, 0 when the child runs: its end of the pipe closed on exec.
int read_exec_error(int fd) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(fd, &error, sizeof(error));
  } while (n < 0 && errno == EINTR);
  return n == sizeof(error) ? error : 0;
}

bool has_ended(pid_t child, int* state) {
  const pid_t ended = waitpid(child, state, WNOHANG);
  return ended == child || (ended < 0 && errno != EINTR);
}

int wait_and_forward(pid_t child, const sigset_t& waited) {
  int state = 0;
  while (!has_ended(child, &state)) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&waited, &info);
    // SI_KERNEL: from the terminal, to the whole process group, the child included.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
  return state;
}

ChildResult failure(int error, const std::string& what) {
  ChildResult result;
  result.code = error == ENOENT ? kNotFound : kNotExecutable;
  result.error = absl::StrCat("cannot run ", what, ": ", std::strerror(error));
  return result;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const Environment& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) entries.push_back(absl::StrCat(name, "=", value));
  const std::vector<char*> argv = pointers(command);
  const std::vector<char*> envp = pointers(entries);
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return failure(errno, command[0]);
  const sigset_t waited = waited_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &waited, &before);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    exec_in_child(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), before, parent,
                  pipe_fds[1]);
  const int fork_error = errno;
  close(pipe_fds[1]);
  ChildResult result;
  if (child < 0) {
    result = failure(fork_error, command[0]);
  } else {
    const int exec_error = read_exec_error(pipe_fds[0]);
    const int state = wait_and_forward(child, waited);
    if (exec_error != 0) {
      result = failure(exec_error, command[0]);
    } else {
      result.started = true;
      result.pid = child;
      result.code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
      result.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    }
  }
  close(pipe_fds[0]);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

int end_like(const ChildResult& result) {
  if (result.signal == 0) return result.code;
  // A core dump is the child's to write, not ours.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(result.signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, result.signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(result.signal);
  return kSignalBase + result.signal;
}

}  // namespace gapscope::cli
