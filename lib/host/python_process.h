// The Python interpreter inside this process, if there is one: its version, the addresses of what
// is read, and the layout of it. Found through the dynamic symbol table; nothing here runs any of
// the interpreter's code but Py_GetVersion in 3.10, which formats a constant.
#pragma once

#include <cstdint>
#include <string>

#include "host/own_memory.h"
#include "host/python_layout.h"

namespace gapscope {

struct PythonProcess {
  enum class State : std::uint8_t {
    absent,       // no interpreter is mapped
    unsupported,  // there is one, but its frames cannot be read: see why_not
    ready
  };
  State state = State::absent;
  std::string version;  // "3.12.3"
  std::string why_not;
  std::uint64_t runtime = 0;  // &_PyRuntime
  std::uint64_t code_type = 0, unicode_type = 0, bytes_type = 0;
  PythonLayout layout;
  // 3.10 does not keep gettid(): where glibc has it, counted from pthread_self(). kAbsent: unknown.
  std::uint32_t pthread_tid = kAbsent;

  // The address of a symbol of the interpreter, nullptr if it has none. Any thread.
  static void* symbol(const char* name) noexcept;
  // Looks for the interpreter. Takes the dynamic linker's lock: on the thread that starts us.
  static PythonProcess find(const OwnMemory& memory);
};

}  // namespace gapscope
