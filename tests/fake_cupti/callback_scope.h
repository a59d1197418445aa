// Marks that the calling thread runs one of the client's callbacks: no CUPTI call is allowed there,
// and, where the program counts them (fake_watch_thread), no allocation and no lock.
#pragma once

#include <cstdint>

#include "fake_cupti_control.h"
#include "log.h"

namespace fake_cupti {

class CallbackScope {
 public:
  enum class Kind { buffer, api };
  explicit CallbackScope(Kind kind = Kind::buffer);
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  static bool inside() { return depth() > 0; }
  // Looks for the program's counts. Where there are none nothing is watched.
  static void watch(Log& log);
  static bool watching() { return counts_ != nullptr; }
  // By the calling thread.
  static std::int64_t locks_held();

 private:
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
  static Log* log_;
  static decltype(&::fake_watch_thread) counts_;

  const Kind kind_;
  std::uint64_t allocations_ = 0;
  std::uint64_t locks_ = 0;
};

}  // namespace fake_cupti
