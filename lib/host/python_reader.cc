#include "host/python_reader.h"

#include <algorithm>

namespace gapscope {

void PythonReader::find() {
  if (ready()) return;
  memory_.open();
  process_ = PythonProcess::find(memory_);
  if (process_.state != PythonProcess::State::ready) return;
  stack_ = std::make_unique<PythonStack>(memory_, process_);
  code_ = std::make_unique<PythonCode>(memory_, process_, texts_);
}

void PythonReader::frames(std::uint32_t os_tid, std::size_t max_frames, std::uint64_t now_ns,
                          std::uint64_t* hint, FrameIds* ids) {
  ids->clear();
  if (!ready()) return;
  *hint = stack_->find_thread(os_tid, *hint);
  if (*hint == 0) return;
  for (const PythonFrame& frame : stack_->frames(*hint, std::min(max_frames, kMaxFrames))) {
    const std::uint32_t id = code_->name(frame, now_ns);
    if (id != kNoString) ids->push_back(id);
  }
}

bool PythonReader::waits_for_gil(std::uint32_t os_tid, std::uint64_t futex, std::uint64_t* hint,
                                 std::uint32_t* holder) {
  *holder = 0;
  if (!ready() || futex == 0) return false;
  *hint = stack_->find_thread(os_tid, *hint);
  if (*hint == 0) return false;
  std::uint64_t gil = 0;
  *holder = stack_->gil_holder(*hint, &gil);
  return gil != 0 && futex >= gil && futex < gil + kGilBytes;
}

}  // namespace gapscope
