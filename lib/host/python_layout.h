// Where the fields lie that a walk over CPython's frames needs, by version.
//
// 3.10 to 3.12: a table, computed from the interpreters' own headers (tests/host/layout_check.c
// computes it again where headers are installed). From 3.13 the interpreter brings the offsets
// itself (_Py_DebugOffsets at the begin of _PyRuntime); what differs between versions is only
// where they stand in there. A release within one minor version never changes any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"

namespace gapscope {

inline constexpr std::uint32_t kAbsent = 0xffffffffu;

struct PythonLayout {
  int minor = 0;  // of version 3

  std::uint32_t runtime_interpreters = 0;  // _PyRuntime: head of the list of interpreters
  std::uint32_t interpreter_next = 0;
  std::uint32_t interpreter_threads = 0;  // head of its list of thread states

  std::uint32_t thread_next = 0;
  std::uint32_t thread_id = 0;               // pthread_self()
  std::uint32_t thread_native_id = kAbsent;  // gettid(); from 3.11
  std::uint32_t thread_frame = 0;            // the innermost frame, or the _PyCFrame that has it
  std::uint32_t cframe_frame = kAbsent;      // 3.11, 3.12: the frame inside the _PyCFrame

  std::uint32_t frame_back = 0;
  std::uint32_t frame_code = 0;
  std::uint32_t frame_instruction = 0;  // a pointer; 3.10: an int, counted in code units
  std::uint32_t frame_owner = kAbsent;  // a char; >= 3: a frame of the C stack, no code
  std::uint32_t frame_bytes = 0;        // covers the fields above

  std::uint32_t code_first_line = 0;
  std::uint32_t code_filename = 0;
  std::uint32_t code_name = 0;  // co_qualname where there is one
  std::uint32_t code_linetable = 0;
  std::uint32_t code_instructions = kAbsent;  // inline from 3.11

  std::uint32_t object_type = 0;
  std::uint32_t bytes_size = 0;
  std::uint32_t bytes_data = 0;
  std::uint32_t unicode_length = 0;
  std::uint32_t unicode_state = 0;
  std::uint32_t unicode_ascii = 0;    // where the text of an ASCII string begins
  std::uint32_t unicode_compact = 0;  // where that of any other compact string begins

  // The lock that all threads of an interpreter share. In _PyRuntime itself up to 3.11, behind a
  // pointer in the interpreter from 3.12.
  std::uint32_t gil_in_runtime = kAbsent;
  std::uint32_t gil_in_interpreter = kAbsent;
  std::uint32_t gil_holder = 0;  // within it: the thread state that had it last
  std::uint32_t gil_locked = 0;  // an int

  bool operator==(const PythonLayout&) const = default;
};

inline constexpr std::uint32_t kGilBytes = 208;          // its condition variable lies within
inline constexpr std::size_t kDebugOffsetsBytes = 1024;  // of _PyRuntime, for python_layout()

// version_hex: PY_VERSION_HEX. runtime: the first bytes of _PyRuntime. nullopt with a reason when
// the version is unknown or was built in a way that the offsets do not hold for.
std::optional<PythonLayout> python_layout(std::uint32_t version_hex,
                                          absl::Span<const std::uint64_t> runtime,
                                          std::string* why_not);

}  // namespace gapscope
