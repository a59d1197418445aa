// Prints the offsets of lib/host/python_layout.h as this interpreter's own headers have them, one
// "name value" a line. Compiled once for each version whose headers are installed.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>

#if PY_MINOR_VERSION < 11
#include <frameobject.h>
#endif
#include <internal/pycore_code.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#endif

#define SHOW(name, value) printf("%s %zu\n", name, (size_t)(value))

static void show_common(void) {
  SHOW("runtime_interpreters", offsetof(_PyRuntimeState, interpreters.head));
  SHOW("interpreter_next", offsetof(PyInterpreterState, next));
  SHOW("thread_next", offsetof(PyThreadState, next));
  SHOW("thread_id", offsetof(PyThreadState, thread_id));
  SHOW("code_first_line", offsetof(PyCodeObject, co_firstlineno));
  SHOW("code_filename", offsetof(PyCodeObject, co_filename));
  SHOW("code_linetable", offsetof(PyCodeObject, co_linetable));
  SHOW("object_type", offsetof(PyObject, ob_type));
  SHOW("bytes_size", offsetof(PyVarObject, ob_size));
  SHOW("bytes_data", offsetof(PyBytesObject, ob_sval));
  SHOW("unicode_length", offsetof(PyASCIIObject, length));
  SHOW("unicode_state", offsetof(PyASCIIObject, state));
  SHOW("unicode_ascii", sizeof(PyASCIIObject));
  SHOW("unicode_compact", sizeof(PyCompactUnicodeObject));
  SHOW("gil_holder", offsetof(struct _gil_runtime_state, last_holder));
  SHOW("gil_locked", offsetof(struct _gil_runtime_state, locked));
}

#if PY_MINOR_VERSION < 11
static void show_version(void) {
  SHOW("interpreter_threads", offsetof(PyInterpreterState, tstate_head));
  SHOW("thread_frame", offsetof(PyThreadState, frame));
  SHOW("frame_back", offsetof(struct _frame, f_back));
  SHOW("frame_code", offsetof(struct _frame, f_code));
  SHOW("frame_instruction", offsetof(struct _frame, f_lasti));
  SHOW("code_name", offsetof(PyCodeObject, co_name));
  SHOW("gil_in_runtime", offsetof(_PyRuntimeState, ceval.gil));
}
#else
static void show_version(void) {
  SHOW("interpreter_threads", offsetof(PyInterpreterState, threads.head));
  SHOW("thread_native_id", offsetof(PyThreadState, native_thread_id));
  SHOW("frame_back", offsetof(_PyInterpreterFrame, previous));
  SHOW("frame_owner", offsetof(_PyInterpreterFrame, owner));
  SHOW("code_name", offsetof(PyCodeObject, co_qualname));
  SHOW("code_instructions", offsetof(PyCodeObject, co_code_adaptive));
#if PY_MINOR_VERSION >= 13
  SHOW("thread_frame", offsetof(PyThreadState, current_frame));
  SHOW("frame_code", offsetof(_PyInterpreterFrame, f_executable));
  SHOW("frame_instruction", offsetof(_PyInterpreterFrame, instr_ptr));
#else
  SHOW("thread_frame", offsetof(PyThreadState, cframe));
  SHOW("cframe_frame", offsetof(_PyCFrame, current_frame));
  SHOW("frame_code", offsetof(_PyInterpreterFrame, f_code));
  SHOW("frame_instruction", offsetof(_PyInterpreterFrame, prev_instr));
#endif
#if PY_MINOR_VERSION >= 12
  SHOW("gil_in_interpreter", offsetof(PyInterpreterState, ceval.gil));
#else
  SHOW("gil_in_runtime", offsetof(_PyRuntimeState, ceval.gil));
#endif
}
#endif

int main(void) {
  show_common();
  show_version();
  return 0;
}
