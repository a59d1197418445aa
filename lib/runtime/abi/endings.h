// The ways in which a process may end, and what of the library is told of them.
#pragma once

#include "runtime/session.h"

namespace gapscope {

// Registers what ends the session: an exit handler, one for quick_exit, one for forks; with
// GAPSCOPE_SIGTERM=1 a handler of SIGTERM; and where libgapscope_preload.so is loaded, _exit. Once
// a process: a forked child that starts a session of its own has inherited the handlers, and gets
// threads of its own for those that need one.
void register_endings(Session& session);

}  // namespace gapscope
