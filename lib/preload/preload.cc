// libgapscope_preload.so: for LD_PRELOAD, in programs that end without exit handlers (os._exit in
// Python, workers of multiprocessing that were forked). It stands in front of libc's functions and
// lets the session end before them. Needs nothing but libc.
#include "preload/preload.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

using ExitFunction = void(int);

std::atomic<gapscope_preload_end_fn*> g_end{nullptr};
std::atomic<pid_t> g_owner{0};
std::atomic<pid_t> g_ending_thread{0};  // who ends the session, 0: nobody yet
std::atomic<bool> g_ended{false};
constexpr int kLongestWaitMs = 15'000;  // above what an end may take
// Looked up while the process starts: later it could be in the middle of a dlopen, or a child that
// shares its memory.
ExitFunction* g_quick_exit = nullptr;

void end_session(int status) {
  gapscope_preload_end_fn* const end = g_end.load(std::memory_order_acquire);
  if (end == nullptr || g_owner.load(std::memory_order_relaxed) != getpid()) return;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  pid_t nobody = 0;
  if (g_ending_thread.compare_exchange_strong(nobody, self)) {
    end(status);
    g_ended.store(true, std::memory_order_release);
    return;
  }
  // The end itself came to call _exit; another thread's end is under way: the process may not go
  // before it.
  if (nobody == self) return;
  for (int ms = 0; ms < kLongestWaitMs && !g_ended.load(std::memory_order_acquire); ++ms) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

[[noreturn]] void leave(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

__attribute__((constructor)) void find_quick_exit() {
  g_quick_exit = reinterpret_cast<ExitFunction*>(dlsym(RTLD_NEXT, "quick_exit"));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void gapscope_preload_register(
    gapscope_preload_end_fn* end) {
  g_end.store(end, std::memory_order_relaxed);
  g_ending_thread.store(0, std::memory_order_relaxed);
  g_ended.store(false, std::memory_order_relaxed);
  g_owner.store(getpid(), std::memory_order_release);
}

__attribute__((visibility("default"), noreturn)) void _exit(int status) {
  end_session(status);
  leave(status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status) noexcept {
  end_session(status);
  leave(status);
}

__attribute__((visibility("default"), noreturn)) void quick_exit(int status) noexcept {
  end_session(status);
  if (g_quick_exit != nullptr) g_quick_exit(status);
  leave(status);
}
}
