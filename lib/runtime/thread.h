// Threads of ours inside somebody else's process: all signals blocked (the program's handlers must
// not run on them), small stack, a name that a debugger shows.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace gapscope {

// False when the thread could not be made. name: at most 15 characters.
bool start_thread(pthread_t* thread, void* (*entry)(void*), void* argument,
                  const char* name) noexcept;

// Joins a thread that sets `ended` (release) as the last thing it does; after timeout_ns it is
// detached instead: false, and what it uses must outlive it.
bool join_thread(pthread_t thread, const std::atomic<bool>& ended,
                 std::uint64_t timeout_ns) noexcept;

}  // namespace gapscope
