#include "callback_scope.h"

#include <dlfcn.h>

#include <string>

namespace fake_cupti {

Log* CallbackScope::log_ = nullptr;
decltype(&::fake_watch_thread) CallbackScope::counts_ = nullptr;

void CallbackScope::watch(Log& log) {
  log_ = &log;
  counts_ = reinterpret_cast<decltype(counts_)>(dlsym(RTLD_DEFAULT, "fake_watch_thread"));
  if (counts_ != nullptr) log.event("allocations and locks are watched");
}

std::int64_t CallbackScope::locks_held() { return counts_ == nullptr ? 0 : counts_()->locks_held; }

CallbackScope::CallbackScope(Kind kind) : kind_(kind) {
  ++depth();
  if (counts_ == nullptr) return;
  allocations_ = counts_()->allocations;
  locks_ = counts_()->locks_taken;
}

// A client may set itself up in a thread's first API callback. A request for a buffer comes inside
// a launch whenever one is full: there is no first one.
CallbackScope::~CallbackScope() {
  --depth();
  thread_local bool seen = false;
  const bool first = kind_ == Kind::api && !seen;
  if (kind_ == Kind::api) seen = true;
  if (counts_ == nullptr || first) return;
  const std::uint64_t allocations = counts_()->allocations - allocations_;
  const std::uint64_t locks = counts_()->locks_taken - locks_;
  const char* where = kind_ == Kind::api ? " inside an API callback" : " inside a buffer callback";
  if (allocations != 0) log_->violation("allocation" + std::string(where));
  if (locks != 0) log_->violation("lock taken" + std::string(where));
}

}  // namespace fake_cupti
