// Launches a known number of kernels and then ends in the way that its argument names. What it
// prints and its exit status must be the same with the library and without.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common.h"

__global__ void counted_kernel() {}

__global__ void asserting_kernel(int value) { assert(value == 0); }

__global__ void faulting_kernel(int* nowhere) { *nowhere = 1; }

// Busy for about the given time.
__global__ void long_kernel(long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < static_cast<unsigned long long>(nanoseconds));
}

namespace {

constexpr int kKernels = 1000;

void launch_and_wait(int count) {
  for (int i = 0; i < count; ++i) counted_kernel<<<1, 32>>>();
  GPU_TEST_CHECK(cudaGetLastError());
  GPU_TEST_CHECK(cudaDeviceSynchronize());
}

void say(const char* what) {
  std::printf("%s after %d kernels\n", what, kKernels);
  std::fflush(stdout);
}

// One thread ends the process while three others go on launching.
[[noreturn]] void exit_from_thread() {
  std::atomic<int> started{0};
  for (int t = 0; t < 3; ++t) {
    std::thread([&started] {
      cudaStream_t stream = nullptr;
      if (cudaStreamCreate(&stream) != cudaSuccess) return;
      ++started;
      // Until the process ends. Errors are expected then: the driver shuts down beneath us.
      while (true) {
        counted_kernel<<<1, 32, 0, stream>>>();
        if (cudaGetLastError() != cudaSuccess) pause();
      }
    }).detach();
  }
  while (started < 3) std::this_thread::yield();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::exit(7);
  }).detach();
  while (true) pause();
}

int sticky_error(const char* what) {
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s gives %s\n", what, cudaGetErrorName(status));
  std::fflush(stdout);
  return 3;
}

int fork_child() {
  const pid_t child = fork();
  if (child == 0) std::exit(5);  // atexit handlers run in the child too
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child exits with %d\n", WEXITSTATUS(status));
  std::fflush(stdout);
  return 0;
}

int end(const std::string& how) {
  say(how.c_str());
  if (how == "return") return 0;
  if (how == "exit") std::exit(4);
  if (how == "_exit") _exit(5);
  if (how == "quick_exit") std::quick_exit(6);
  if (how == "abort") std::abort();
  if (how == "exception") throw std::runtime_error("planted, and caught by nobody");
  if (how == "thread_exit") exit_from_thread();
  if (how == "sigterm") raise(SIGTERM);
  if (how == "sigkill") raise(SIGKILL);
  if (how == "fork") return fork_child();
  if (how == "device_assert") {
    asserting_kernel<<<1, 1>>>(1);
    return sticky_error("assert");
  }
  if (how == "illegal_address") {
    faulting_kernel<<<1, 1>>>(nullptr);
    return sticky_error("fault");
  }
  if (how == "reset") {
    GPU_TEST_CHECK(cudaDeviceReset());
    return 0;
  }
  if (how == "reset_twice") {  // a second context, with kernels of its own
    GPU_TEST_CHECK(cudaDeviceReset());
    launch_and_wait(kKernels);
    GPU_TEST_CHECK(cudaDeviceReset());
    return 0;
  }
  if (how == "running") {
    long_kernel<<<1, 1>>>(300'000'000);
    return 0;
  }
  std::fprintf(stderr, "endings: unknown ending %s\n", how.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: endings ENDING\n");
    return 2;
  }
  launch_and_wait(kKernels);
  return end(argv[1]);
}
