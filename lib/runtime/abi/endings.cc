#include "runtime/abi/endings.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "preload/preload.h"
#include "runtime/abi/instance.h"
#include "runtime/closer.h"
#include "runtime/files.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kOtherThreadEndsNs = 5'000'000'000;

std::atomic<bool> g_handlers_registered{false};
// Handlers get no user data. Never destroyed; of this process, not of the one that forked it.
std::atomic<Closer*> g_closer{nullptr};
// What SIGTERM did before; written once, before our handler is installed.
struct sigaction g_sigterm_before;
std::atomic<bool> g_sigterm_installed{false};

// The session, in the process that it belongs to: not in a forked child, nor in one of vfork, which
// shares this memory.
Session* own_session() noexcept {
  Session* session = instance();
  return session != nullptr && session->owner() == getpid() ? session : nullptr;
}

void end_session(int status, bool known) {
  Session* session = own_session();
  if (session == nullptr) return;
  try {
    // A signal or _exit() on another thread may be ending it: its page must not be cut off.
    if (!session->stop(status, known)) session->wait_until_ended(kOtherThreadEndsNs);
  } catch (...) {
    complain("no report: out of memory at exit");
  }
}

// Runs before the handlers that were registered earlier, those of the CUDA runtime included, since
// it is registered while CUDA starts.
void at_exit(int status, void*) { end_session(status, true); }

void at_quick_exit_handler() { end_session(0, false); }

// Called by libgapscope_preload.so; whatever locks the caller holds, this thread takes none.
void at_underscore_exit(int status) {
  Closer* closer = g_closer.load(std::memory_order_acquire);
  if (closer != nullptr && own_session() != nullptr) closer->end(status, true);
}

// In the child of a fork only the forking thread exists: our threads and their state are gone.
void in_forked_child() {
  if (Session* session = instance()) session->forget_after_fork();
}

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void restore_default() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGTERM, &standard, nullptr);
}

// Async-signal-safe. The program's own handler decides what happens; without one the process ends
// as it would have without us, once the session has ended.
void on_sigterm(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  Session* session = own_session();
  if (has_handler(g_sigterm_before)) {
    if (session != nullptr) session->request_snapshot();
    if ((g_sigterm_before.sa_flags & SA_RESETHAND) != 0) restore_default();
    if ((g_sigterm_before.sa_flags & SA_SIGINFO) != 0) {
      g_sigterm_before.sa_sigaction(signal, info, context);
    } else {
      g_sigterm_before.sa_handler(signal);
    }
    errno = error;
    return;
  }
  Closer* closer = g_closer.load(std::memory_order_acquire);
  if (session != nullptr && closer != nullptr) closer->end(0, false);
  // Blocked until this handler returns, and deadly then.
  restore_default();
  raise(SIGTERM);
  errno = error;
}

void install_sigterm() {
  if (g_sigterm_installed.exchange(true)) return;
  if (sigaction(SIGTERM, nullptr, &g_sigterm_before) != 0) return;
  const bool ignored = !has_handler(g_sigterm_before) && g_sigterm_before.sa_handler == SIG_IGN;
  if (ignored) return;
  // The program's flags and mask where it has a handler: ours runs in its place.
  struct sigaction ours = g_sigterm_before;
  if (!has_handler(ours)) {
    ours = {};
    ours.sa_flags = SA_RESTART;
  }
  ours.sa_flags = (ours.sa_flags & ~static_cast<int>(SA_RESETHAND)) | SA_SIGINFO | SA_ONSTACK;
  ours.sa_sigaction = &on_sigterm;
  sigaction(SIGTERM, &ours, nullptr);
}

// Present where libgapscope_preload.so is in LD_PRELOAD.
gapscope_preload_register_fn* preload() {
  return reinterpret_cast<gapscope_preload_register_fn*>(
      dlsym(RTLD_DEFAULT, "gapscope_preload_register"));
}

void start_closer(Session& session) {
  g_closer.store(nullptr, std::memory_order_release);  // of the process that forked this one
  auto* closer = new (std::nothrow) Closer(session);
  if (closer == nullptr || !closer->start()) {
    complain("no thread could be made for GAPSCOPE_SIGTERM or _exit: the snapshot remains");
    return;
  }
  g_closer.store(closer, std::memory_order_release);
}

}  // namespace

void register_endings(Session& session) {
  gapscope_preload_register_fn* const registers = preload();
  if (registers != nullptr || session.config().sigterm) start_closer(session);
  if (session.config().sigterm) install_sigterm();
  if (registers != nullptr) registers(&at_underscore_exit);
  if (g_handlers_registered.exchange(true)) return;
  on_exit(&at_exit, nullptr);
  at_quick_exit(&at_quick_exit_handler);
  pthread_atfork(nullptr, nullptr, &in_forked_child);
}

}  // namespace gapscope
