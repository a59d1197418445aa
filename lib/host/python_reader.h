// What the sampler asks about Python threads: frames by text id, and who has the interpreter's
// lock.
//
// Thread-safety: find() on the thread that starts us, everything else on the sampler's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/inlined_vector.h"
#include "host/own_memory.h"
#include "host/python_code.h"
#include "host/python_process.h"
#include "host/python_stack.h"
#include "host/text_table.h"

namespace gapscope {

using FrameIds = absl::InlinedVector<std::uint32_t, 32>;

class PythonReader {
 public:
  static constexpr std::size_t kMaxFrames = 64;

  // texts must outlive this.
  explicit PythonReader(TextTable& texts) : texts_(texts) {}

  // Looks for an interpreter; see PythonProcess::find().
  void find();
  const PythonProcess& process() const { return process_; }
  bool ready() const { return code_ != nullptr; }

  // Frames of an OS thread, innermost first. hint: a place to remember its thread state in; 0 at
  // first.
  void frames(std::uint32_t os_tid, std::size_t max_frames, std::uint64_t now_ns,
              std::uint64_t* hint, FrameIds* ids);

  // Whether a futex at this address belongs to the interpreter's lock, that is, its thread waits
  // for that lock; holder: the OS thread that has it, 0 if nobody or unknown.
  bool waits_for_gil(std::uint32_t os_tid, std::uint64_t futex, std::uint64_t* hint,
                     std::uint32_t* holder);

 private:
  TextTable& texts_;
  OwnMemory memory_;
  PythonProcess process_;
  std::unique_ptr<PythonStack> stack_;
  std::unique_ptr<PythonCode> code_;
};

}  // namespace gapscope
