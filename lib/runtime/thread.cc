#include "runtime/thread.h"

#include <signal.h>

#include <cstddef>

namespace gapscope {
namespace {

// CUPTI's flush runs on one of these threads and needs a usual stack.
constexpr std::size_t kStackBytes = 1u << 20;

}  // namespace

bool start_thread(pthread_t* thread, void* (*entry)(void*), void* argument,
                  const char* name) noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = pthread_create(thread, &attributes, entry, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return false;
  pthread_setname_np(*thread, name);
  return true;
}

}  // namespace gapscope
