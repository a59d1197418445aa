// A program that defines malloc and pthread's locks itself, and counts them: every library in the
// process then calls these (fake_watch_thread).
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "fake_cupti_control.h"

#define WATCHED extern "C" __attribute__((visibility("default")))

// glibc's own, under the names that it has for programs like this one.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

namespace {

constinit thread_local fake_thread_counts counts{};

void* map(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  ++counts.allocations;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

// The function of that name behind this program's.
template <typename F>
F next(std::atomic<F>& known, const char* name) {
  F function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

int taken(int result) {
  if (result == 0) {
    ++counts.locks_taken;
    ++counts.locks_held;
  }
  return result;
}

int released(int result) {
  if (result == 0) --counts.locks_held;
  return result;
}

}  // namespace

WATCHED const fake_thread_counts* fake_watch_thread(void) { return &counts; }

WATCHED void* malloc(std::size_t bytes) noexcept {
  ++counts.allocations;
  return __libc_malloc(bytes);
}

WATCHED void* calloc(std::size_t n, std::size_t bytes) noexcept {
  ++counts.allocations;
  return __libc_calloc(n, bytes);
}

WATCHED void* realloc(void* old, std::size_t bytes) noexcept {
  ++counts.allocations;
  return __libc_realloc(old, bytes);
}

WATCHED void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++counts.allocations;
  return __libc_memalign(alignment, bytes);
}

WATCHED int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  ++counts.allocations;
  *out = __libc_memalign(alignment, bytes);
  return *out == nullptr ? ENOMEM : 0;
}

WATCHED void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
                   off_t offset) noexcept {
  return map(at, bytes, protection, flags, file, offset);
}

WATCHED void* mmap64(void* at, std::size_t bytes, int protection, int flags, int file,
                     off64_t offset) noexcept {
  return map(at, bytes, protection, flags, file, offset);
}

#define WATCHED_LOCK(name, type, outcome)                       \
  WATCHED int name(type* lock) noexcept {                       \
    static constinit std::atomic<int (*)(type*)> real{nullptr}; \
    return outcome(next(real, #name)(lock));                    \
  }

WATCHED_LOCK(pthread_mutex_lock, pthread_mutex_t, taken)
WATCHED_LOCK(pthread_mutex_trylock, pthread_mutex_t, taken)
WATCHED_LOCK(pthread_mutex_unlock, pthread_mutex_t, released)
WATCHED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, taken)
WATCHED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, taken)
WATCHED_LOCK(pthread_rwlock_unlock, pthread_rwlock_t, released)
