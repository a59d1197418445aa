// Scenarios with children.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "names.h"
#include "scenario.h"

extern char** environ;

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;

void plain(CudaProcess& cuda, std::uint32_t operations) {
  for (std::uint32_t i = 0; i < operations; ++i) cuda.launch(kSaxpy, 10 * kUs);
}

}  // namespace

// The program lowers its own limit when the library's files are open and longer than that already.
void lower_file_limit(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, 500);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 1024;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(2);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

// DataLoader workers: a child that never touches CUDA and ends in both ways.
void fork_child(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  for (int i = 0; i < 2; ++i) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      // A child that inherited CUDA may still call, and gets errors from the driver.
      if (i == 0) std::exit(3);
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d ended with %d\n", i, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// A child that starts another CUDA program gets its own report.
void fork_exec(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const std::string truth = settings.truth_path + ".child";
    execl(settings.self.c_str(), settings.self.c_str(), "kernels", "--operations", "50", "--truth",
          truth.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// Children that share memory with this process until they exec: vfork, posix_spawn, system().
void spawn_children(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  std::fflush(stdout);
  int good = 0;
  for (int i = 0; i < 3; ++i) {
    int status = 0;
    const pid_t forked = vfork();
    if (forked == 0) _exit(0);
    waitpid(forked, &status, 0);
    good += status == 0 ? 1 : 0;
    char name[] = "true";
    char* const arguments[] = {name, nullptr};
    pid_t spawned = 0;
    if (posix_spawnp(&spawned, name, nullptr, nullptr, arguments, environ) == 0) {
      waitpid(spawned, &status, 0);
      good += status == 0 ? 1 : 0;
    }
    good += std::system("true") == 0 ? 1 : 0;
  }
  cuda.truth().set("good", good);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

}  // namespace fake_driver
