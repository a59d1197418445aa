// libgapscope_preload.so: for LD_PRELOAD, in programs that end without exit handlers (os._exit in
// Python, workers of multiprocessing that were forked). It stands in front of libc's functions and
// lets the session end before them. Needs nothing but libc.
#include "preload/preload.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

using ExitFunction = void(int);

std::atomic<gapscope_preload_end_fn*> g_end{nullptr};
std::atomic<pid_t> g_owner{0};
std::atomic<bool> g_ending{false};
// Looked up while the process starts: later it could be in the middle of a dlopen, or a child that
// shares its memory.
ExitFunction* g_quick_exit = nullptr;

void end_session(int status) {
  gapscope_preload_end_fn* const end = g_end.load(std::memory_order_acquire);
  if (end == nullptr || g_owner.load(std::memory_order_relaxed) != getpid()) return;
  // Also when the end itself comes to call _exit.
  if (!g_ending.exchange(true)) end(status);
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
  g_ending.store(false, std::memory_order_relaxed);
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
