// Whether a thread may throw.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>

namespace gapscope {

// What an exception needs is thread-local, comes to be when a thread first throws, and the loader
// ends the whole process when there is no memory for it. So every thread of ours asks here before
// it begins, and so does whoever starts a session. False: there is no memory, do not begin.
// Any thread.
inline bool ready_to_throw() noexcept {
  constexpr std::size_t kRoom = 16u << 10;  // more than the thread-local data of a library take
  void* const room = std::malloc(kRoom);
  if (room == nullptr) return false;
  // The compiler may leave out a pair of malloc and free; not one whose pointer it lost sight of.
  void* volatile seen = room;
  std::free(seen);
  return abi::__cxa_get_globals() != nullptr;
}

}  // namespace gapscope
