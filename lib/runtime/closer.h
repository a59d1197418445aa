// A thread that ends the session for one that must not do it itself: a signal handler, or _exit()
// called from anywhere, perhaps with a lock of malloc held.
#pragma once

#include <atomic>

#include "runtime/session.h"
#include "runtime/wake.h"

namespace gapscope {

class Closer {
 public:
  // session outlives this object, which is never destroyed once started.
  explicit Closer(Session& session) : session_(session) {}

  bool start();  // false when no thread could be made

  // Ends the session and waits until it has ended, or its time is over (the wait at exit and 5 s).
  // Not in a forked child, which has no such thread.
  // Async-signal-safe; any thread, several at once; keeps errno. exit_status counts only if known.
  void end(int exit_status, bool exit_known) noexcept;

 private:
  static void* thread_main(void* self);
  void run();

  Session& session_;
  Wake wake_;
  std::atomic<bool> claimed_{false};  // by the caller whose status counts
  std::atomic<bool> asked_{false};
  std::atomic<bool> ended_{false};
  int exit_status_ = 0;  // written before asked_, read after it
  bool exit_known_ = false;
};

}  // namespace gapscope
