// The Python frames of another thread of this process, read from outside: no lock of the
// interpreter is taken, none of its code runs, and the thread goes on meanwhile.
//
// What is read may change under our eyes. So every pointer is followed by fault-safe reads, every
// walk is bounded, a code object counts only when its type is PyCode_Type (python_code.h), and the
// walk is made twice: only the outer frames that both walks saw alike are kept. A thread that is
// busy in small functions so loses its innermost frames and keeps the function that calls them.
//
// Thread-safety: one owner.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "host/own_memory.h"
#include "host/python_process.h"

namespace gapscope {

struct PythonFrame {
  std::uint64_t address = 0;
  std::uint64_t code = 0;         // of its code object
  std::uint64_t instruction = 0;  // address; 3.10: index of the code unit
};
using PythonFrames = absl::InlinedVector<PythonFrame, 32>;

class PythonStack {
 public:
  // Both must outlive this.
  PythonStack(const OwnMemory& memory, const PythonProcess& process)
      : memory_(memory), process_(process), layout_(process.layout) {}

  // The thread state of an OS thread, 0 when it has none. hint: an earlier answer, tried first.
  std::uint64_t find_thread(std::uint32_t os_tid, std::uint64_t hint) const;

  // Frames of a thread state, innermost first, at most max_frames. Empty: it runs no Python code,
  // or it changed all the time.
  PythonFrames frames(std::uint64_t thread_state, std::size_t max_frames);

  // OS thread that holds the lock of the interpreter of this thread state, 0 when it is free or
  // cannot be told. gil: address of that lock, 0 if unknown.
  std::uint32_t gil_holder(std::uint64_t thread_state, std::uint64_t* gil) const;

 private:
  // Frames lie side by side on the interpreter's own stack: one read serves several of them.
  struct Window {
    std::uint64_t begin = 0, end = 0;
    alignas(8) unsigned char bytes[2048];
  };

  std::uint32_t os_tid_of(std::uint64_t thread_state) const;
  std::uint64_t search(std::uint32_t os_tid) const;
  std::uint64_t innermost(std::uint64_t thread_state) const;
  const unsigned char* fetch(std::uint64_t address);
  PythonFrames walk(std::uint64_t thread_state, std::size_t max_frames);

  const OwnMemory& memory_;
  const PythonProcess& process_;
  const PythonLayout& layout_;
  Window window_;
};

// Innermost first: the longest outer part of b that a has too.
PythonFrames common_outer_frames(const PythonFrames& a, const PythonFrames& b);

}  // namespace gapscope
