// Threads of ours inside somebody else's process: all signals blocked (the program's handlers must
// not run on them), small stack, a name that a debugger shows.
#pragma once

#include <pthread.h>

namespace gapscope {

// False when the thread could not be made. name: at most 15 characters.
bool start_thread(pthread_t* thread, void* (*entry)(void*), void* argument,
                  const char* name) noexcept;

}  // namespace gapscope
