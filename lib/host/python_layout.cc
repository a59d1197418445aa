#include "host/python_layout.h"

#include <fmt/format.h>

#include <cstring>

namespace gapscope {
namespace {

PythonLayout common() {
  PythonLayout l;
  l.thread_next = 8;
  l.object_type = 8;
  l.bytes_size = 16;
  l.bytes_data = 32;
  l.unicode_length = 16;
  l.unicode_state = 32;
  l.unicode_ascii = 40;
  l.unicode_compact = 56;
  l.gil_holder = 8;
  l.gil_locked = 16;
  return l;
}

PythonLayout layout_3_10() {
  PythonLayout l = common();
  l.minor = 10;
  l.runtime_interpreters = 32;
  l.interpreter_next = 0;
  l.interpreter_threads = 8;
  l.thread_id = 176;
  l.thread_frame = 24;
  l.frame_back = 24;
  l.frame_code = 32;
  l.frame_instruction = 96;
  l.frame_bytes = 112;
  l.code_first_line = 40;
  l.code_filename = 104;
  l.code_name = 112;
  l.code_linetable = 120;
  l.unicode_ascii = 48;
  l.unicode_compact = 72;
  l.gil_in_runtime = 352;
  return l;
}

PythonLayout layout_3_11() {
  PythonLayout l = common();
  l.minor = 11;
  l.runtime_interpreters = 40;
  l.interpreter_next = 0;
  l.interpreter_threads = 16;
  l.thread_id = 152;
  l.thread_native_id = 160;
  l.thread_frame = 56;
  l.cframe_frame = 8;
  l.frame_back = 48;
  l.frame_code = 32;
  l.frame_instruction = 56;
  l.frame_owner = 69;
  l.frame_bytes = 72;
  l.code_first_line = 72;
  l.code_filename = 112;
  l.code_name = 128;
  l.code_linetable = 136;
  l.code_instructions = 184;
  l.unicode_ascii = 48;
  l.unicode_compact = 72;
  l.gil_in_runtime = 360;
  return l;
}

PythonLayout layout_3_12() {
  PythonLayout l = common();
  l.minor = 12;
  l.runtime_interpreters = 40;
  l.interpreter_next = 0;
  l.interpreter_threads = 72;
  l.thread_id = 136;
  l.thread_native_id = 144;
  l.thread_frame = 56;
  l.cframe_frame = 0;
  l.frame_back = 8;
  l.frame_code = 0;
  l.frame_instruction = 56;
  l.frame_owner = 70;
  l.frame_bytes = 72;
  l.code_first_line = 68;
  l.code_filename = 112;
  l.code_name = 128;
  l.code_linetable = 136;
  l.code_instructions = 192;
  l.gil_in_interpreter = 384;
  return l;
}

// _Py_DebugOffsets as words: cookie, version, free_threaded, then one group of offsets a struct,
// each group beginning with the struct's size. Which groups there are, and how long, is what
// differs: 3.14 put in threads_main, stackpointer and the set object.
struct DebugWords {
  std::size_t interpreter, thread, frame, code, object, bytes, unicode;
  bool has_threads_main;
};
constexpr DebugWords kWords313 = {6, 19, 28, 34, 44, 64, 67, false};
constexpr DebugWords kWords314 = {6, 20, 29, 36, 46, 70, 73, true};
constexpr char kCookie[] = "xdebugpy";

std::optional<PythonLayout> from_debug_offsets(int minor, absl::Span<const std::uint64_t> words,
                                               std::string* why_not) {
  const DebugWords& w = minor == 13 ? kWords313 : kWords314;
  if (words.size() < w.unicode + 4 || std::memcmp(words.data(), kCookie, 8) != 0) {
    *why_not = "its debug offsets are missing";
    return std::nullopt;
  }
  if (words[2] != 0) {
    *why_not = "free-threaded build";
    return std::nullopt;
  }
  bool sane = true;
  const auto at = [&](std::size_t index, std::uint64_t limit) {
    if (words[index] > limit) sane = false;
    return static_cast<std::uint32_t>(words[index]);
  };
  constexpr std::uint64_t kBig = 1u << 20;
  constexpr std::uint64_t kSmall = 1u << 12;
  const std::size_t more = w.has_threads_main ? 1 : 0;
  PythonLayout l = common();
  l.minor = minor;
  l.runtime_interpreters = at(5, kBig);
  l.interpreter_next = at(w.interpreter + 2, kBig);
  l.interpreter_threads = at(w.interpreter + 3, kBig);
  l.gil_in_interpreter = at(w.interpreter + 8 + more, kBig);
  const std::uint32_t gil = at(w.interpreter + 9 + more, kBig);
  l.gil_locked = at(w.interpreter + 11 + more, kBig) - gil;
  l.gil_holder = at(w.interpreter + 12 + more, kBig) - gil;
  l.thread_next = at(w.thread + 2, kSmall);
  l.thread_frame = at(w.thread + 4, kSmall);
  l.thread_id = at(w.thread + 5, kSmall);
  l.thread_native_id = at(w.thread + 6, kSmall);
  l.frame_back = at(w.frame + 1, kSmall);
  l.frame_code = at(w.frame + 2, kSmall);
  l.frame_instruction = at(w.frame + 3, kSmall);
  l.frame_owner = at(w.frame + 5, kSmall);
  l.frame_bytes = at(w.frame + 4, kSmall);  // up to the locals
  l.code_filename = at(w.code + 1, kSmall);
  l.code_name = at(w.code + 3, kSmall);
  l.code_linetable = at(w.code + 4, kSmall);
  l.code_first_line = at(w.code + 5, kSmall);
  l.code_instructions = at(w.code + 9, kSmall);
  l.object_type = at(w.object + 1, kSmall);
  l.bytes_size = at(w.bytes + 1, kSmall);
  l.bytes_data = at(w.bytes + 2, kSmall);
  l.unicode_state = at(w.unicode + 1, kSmall);
  l.unicode_length = at(w.unicode + 2, kSmall);
  l.unicode_ascii = at(w.unicode + 3, kSmall);
  l.unicode_compact = l.unicode_ascii + 16;  // utf8_length and utf8
  if (!sane || l.frame_bytes > 512 || l.frame_owner >= l.frame_bytes) {
    *why_not = "its debug offsets make no sense";
    return std::nullopt;
  }
  return l;
}

}  // namespace

std::optional<PythonLayout> python_layout(std::uint32_t version_hex,
                                          absl::Span<const std::uint64_t> runtime,
                                          std::string* why_not) {
  const int major = static_cast<int>(version_hex >> 24);
  const int minor = static_cast<int>(version_hex >> 16 & 0xff);
  if (major == 3) {
    switch (minor) {
      case 10:
        return layout_3_10();
      case 11:
        return layout_3_11();
      case 12:
        return layout_3_12();
      case 13:
      case 14:
        return from_debug_offsets(minor, runtime, why_not);
      default:
        break;
    }
  }
  *why_not = "unknown version";
  return std::nullopt;
}

}  // namespace gapscope
