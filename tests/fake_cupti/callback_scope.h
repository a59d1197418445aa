// Marks that the calling thread runs one of the client's callbacks: no CUPTI call is allowed there.
#pragma once

namespace fake_cupti {

class CallbackScope {
 public:
  CallbackScope() { ++depth(); }
  ~CallbackScope() { --depth(); }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  static bool inside() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
};

}  // namespace fake_cupti
