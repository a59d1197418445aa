// The few functions of the interpreter that run on its own threads, under its own lock: found by
// name, since this library is linked against no Python. All are of the stable interface.
#pragma once

#include <sys/types.h>

namespace gapscope {

using PyObjectPtr = void*;
using PyFastFunction = PyObjectPtr (*)(PyObjectPtr self, PyObjectPtr const* arguments,
                                       ssize_t count);

// PyMethodDef, as the interpreter reads it.
struct PyMethod {
  const char* name;
  PyFastFunction function;
  int flags;
  const char* doc;
};
inline constexpr int kMethodFastCall = 0x0080;  // METH_FASTCALL

struct PythonApi {
  // Any thread, without the interpreter's lock.
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  int (*add_pending_call)(int (*function)(void*), void* argument) = nullptr;
  // The interpreter's threads only, with its lock.
  PyObjectPtr (*import_module)(const char* name) = nullptr;
  PyObjectPtr (*get_attribute)(PyObjectPtr object, const char* name) = nullptr;
  int (*list_append)(PyObjectPtr list, PyObjectPtr item) = nullptr;
  PyObjectPtr (*make_function)(PyMethod* method, PyObjectPtr self, PyObjectPtr module) = nullptr;
  PyObjectPtr (*make_capsule)(void* pointer, const char* name, void (*)(PyObjectPtr)) = nullptr;
  PyObjectPtr (*dict_item)(PyObjectPtr dict, const char* key) = nullptr;  // borrowed
  long (*as_long)(PyObjectPtr integer) = nullptr;
  int (*compare_ascii)(PyObjectPtr text, const char* ascii) = nullptr;
  void (*add_reference)(PyObjectPtr object) = nullptr;
  void (*drop_reference)(PyObjectPtr object) = nullptr;
  void (*clear_error)() = nullptr;
  PyObjectPtr none = nullptr;

  // False when any of them is missing. Takes the dynamic linker's lock.
  bool find();
};

}  // namespace gapscope
