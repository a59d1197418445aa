#include "host/python_stack.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gapscope {
namespace {

constexpr int kMaxInterpreters = 16;
constexpr int kMaxThreads = 1024;
constexpr int kMaxSteps = 96;           // links of one walk, frames without code included
constexpr std::uint64_t kTagBits = 7;   // 3.14 marks references in the low bits
constexpr unsigned char kOwnedByC = 3;  // _frameowner: this and above have no Python code
constexpr std::size_t kMaxFrameBytes = 512;

std::uint64_t word_at(const unsigned char* bytes, std::uint32_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

}  // namespace

std::uint32_t PythonStack::os_tid_of(std::uint64_t thread_state) const {
  std::uint64_t value = 0;
  if (layout_.thread_native_id != kAbsent) {
    memory_.read(thread_state + layout_.thread_native_id, value);
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t tid = 0;
  if (!memory_.read(thread_state + layout_.thread_id, value)) return 0;
  return memory_.read(value + process_.pthread_tid, tid) ? tid : 0;
}

std::uint64_t PythonStack::find_thread(std::uint32_t os_tid, std::uint64_t hint) const {
  if (hint != 0 && os_tid_of(hint) == os_tid) return hint;
  return search(os_tid);
}

std::uint64_t PythonStack::search(std::uint32_t os_tid) const {
  std::uint64_t interpreter = 0;
  memory_.read(process_.runtime + layout_.runtime_interpreters, interpreter);
  std::uint64_t found = 0;
  for (int i = 0; interpreter != 0 && i < kMaxInterpreters; ++i) {
    std::uint64_t thread = 0;
    memory_.read(interpreter + layout_.interpreter_threads, thread);
    for (int t = 0; thread != 0 && t < kMaxThreads; ++t) {
      if (os_tid_of(thread) == os_tid) {
        // A thread that also entered a sub-interpreter has several: the one that runs frames.
        if (innermost(thread) != 0) return thread;
        found = thread;
      }
      std::uint64_t next = 0;
      if (!memory_.read(thread + layout_.thread_next, next) || next == thread) break;
      thread = next;
    }
    std::uint64_t next = 0;
    if (!memory_.read(interpreter + layout_.interpreter_next, next)) break;
    interpreter = next;
  }
  return found;
}

std::uint64_t PythonStack::innermost(std::uint64_t thread_state) const {
  std::uint64_t frame = 0;
  if (!memory_.read(thread_state + layout_.thread_frame, frame)) return 0;
  if (layout_.cframe_frame == kAbsent || frame == 0) return frame;
  std::uint64_t inner = 0;
  return memory_.read(frame + layout_.cframe_frame, inner) ? inner : 0;
}

// The frame's bytes, from the window or after moving it. Callers lie below what they called, so the
// window ends with the frame that was asked for.
const unsigned char* PythonStack::fetch(std::uint64_t address) {
  const std::uint64_t bytes = layout_.frame_bytes;
  if (address >= window_.begin && address + bytes <= window_.end) {
    return window_.bytes + (address - window_.begin);
  }
  const std::uint64_t before = sizeof(window_.bytes) - kMaxFrameBytes;
  const std::uint64_t page = address & ~std::uint64_t{4095};
  std::uint64_t begin = std::max(page, address < before ? 0 : address - before);
  begin &= ~std::uint64_t{7};
  window_.end = 0;
  if (!memory_.read(begin, window_.bytes, address + bytes - begin)) return nullptr;
  window_.begin = begin;
  window_.end = address + bytes;
  return window_.bytes + (address - begin);
}

PythonFrames PythonStack::walk(std::uint64_t thread_state, std::size_t max_frames) {
  PythonFrames frames;
  window_.begin = window_.end = 0;
  std::uint64_t at = innermost(thread_state);
  for (int step = 0; at != 0 && step < kMaxSteps && frames.size() < max_frames; ++step) {
    if (at % 8 != 0) return {};
    const unsigned char* bytes = fetch(at);
    if (bytes == nullptr) return {};
    const bool of_c = layout_.frame_owner != kAbsent && bytes[layout_.frame_owner] >= kOwnedByC;
    if (!of_c) {
      PythonFrame frame;
      frame.address = at;
      frame.code = word_at(bytes, layout_.frame_code) & ~kTagBits;
      frame.instruction = word_at(bytes, layout_.frame_instruction);
      if (layout_.code_instructions == kAbsent) frame.instruction &= 0xffffffffu;  // an int
      frames.push_back(frame);
    }
    at = word_at(bytes, layout_.frame_back);
  }
  return frames;
}

PythonFrames common_outer_frames(const PythonFrames& a, const PythonFrames& b) {
  for (std::size_t j = 0; j < b.size(); ++j) {
    const auto same = std::find_if(a.begin(), a.end(), [&](const PythonFrame& frame) {
      return frame.address == b[j].address && frame.code == b[j].code;
    });
    if (same == a.end()) continue;
    // Either walk may have been cut at its outer end, so the shorter rest decides.
    const std::size_t rest = std::min<std::size_t>(a.end() - same, b.size() - j);
    const bool alike = std::equal(same, same + static_cast<std::ptrdiff_t>(rest), b.begin() + j,
                                  [](const PythonFrame& x, const PythonFrame& y) {
                                    return x.address == y.address && x.code == y.code;
                                  });
    if (alike) return PythonFrames(b.begin() + j, b.begin() + j + rest);
  }
  return {};
}

PythonFrames PythonStack::frames(std::uint64_t thread_state, std::size_t max_frames) {
  if (thread_state == 0) return {};
  const PythonFrames first = walk(thread_state, max_frames);
  if (first.empty()) return {};
  return common_outer_frames(first, walk(thread_state, max_frames));
}

std::uint32_t PythonStack::gil_holder(std::uint64_t thread_state, std::uint64_t* gil) const {
  *gil = 0;
  std::uint64_t lock = 0;
  if (layout_.gil_in_runtime != kAbsent) {
    lock = process_.runtime + layout_.gil_in_runtime;
  } else {
    // 16: where the thread state points to its interpreter, in every version that comes here.
    std::uint64_t interpreter = 0;
    if (!memory_.read(thread_state + 16, interpreter)) return 0;
    if (!memory_.read(interpreter + layout_.gil_in_interpreter, lock)) return 0;
  }
  std::uint64_t holder = 0;
  std::int32_t locked = 0;
  if (lock == 0 || !memory_.read(lock + layout_.gil_holder, holder) ||
      !memory_.read(lock + layout_.gil_locked, locked)) {
    return 0;
  }
  *gil = lock;
  return locked == 1 && holder != 0 ? os_tid_of(holder) : 0;
}

}  // namespace gapscope
