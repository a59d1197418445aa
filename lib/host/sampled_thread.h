// One thread that is sampled: what it did since the sampler last looked.
//
// A thread whose CPU clock stood still has not moved: what was found out about it (where it waits,
// its Python frames) still holds and is not asked again.
//
// Thread-safety: the sampler's thread only; of the ring it reads two atomics.
#pragma once

#include <cstdint>
#include <string>

#include "host/python_reader.h"
#include "host/thread_probe.h"
#include "record/record.h"
#include "ring/ring_set.h"

namespace gapscope {

class SampledThread {
 public:
  // Frames are worth their cost only after this long without a CUDA call.
  static constexpr std::uint64_t kQuietNs = 1'000'000;

  // thread_index: kNoThread when it launches nothing. ring: of its calls, may be null; must outlive
  // this.
  SampledThread(std::uint32_t thread_index, std::uint32_t os_tid, const ThreadRing* ring)
      : thread_index_(thread_index), ring_(ring), probe_(os_tid) {}

  // Looks at the thread. False when it has ended. The first look, and one after a pause of more
  // than max_interval_ns, gives no sample (has_sample() is false).
  bool look(std::uint64_t max_interval_ns);
  bool has_sample() const { return end_ns_ > begin_ns_ && begin_ns_ != 0; }
  // Reads its frames where that is worth it, and what blocked it. After a look() with a sample.
  void inspect(PythonReader& python, std::size_t max_frames);

  std::uint32_t thread_index() const { return thread_index_; }
  std::uint32_t os_tid() const { return probe_.os_tid(); }
  const std::string& name();  // read once
  std::uint64_t begin_ns() const { return begin_ns_; }
  std::uint64_t end_ns() const { return end_ns_; }
  std::uint64_t on_cpu_ns() const { return on_cpu_ns_; }
  // Of the last interval, off CPU and waiting for something other than a CPU.
  bool blocked() const { return has_sample() && !wait_.where.empty() && !mostly_ran(); }
  bool made_calls() const { return made_calls_; }
  bool waits_for_a_thread() const { return wait_.where == "futex" || waits_for_gil_; }
  bool waits_for_gil() const { return waits_for_gil_; }
  std::uint32_t gil_holder() const { return gil_holder_; }

  // The sample, without who is waited for; frames go to ids.
  ThreadSampleRecord sample(TextTable& texts, FrameIds* ids) const;

 private:
  bool mostly_ran() const { return 2 * on_cpu_ns_ >= end_ns_ - begin_ns_; }
  void look_at_calls();
  void look_at_wait();
  bool quiet() const { return end_ns_ >= last_call_ns_ + kQuietNs; }

  std::uint32_t thread_index_;
  const ThreadRing* ring_;
  ThreadProbe probe_;
  std::string name_;
  bool has_name_ = false;

  std::uint64_t begin_ns_ = 0, end_ns_ = 0;
  std::uint64_t cpu_ns_ = 0;  // of its clock at end_ns_
  std::uint64_t on_cpu_ns_ = 0, runnable_ns_ = 0;
  std::uint64_t run_delay_ns_ = 0;  // of its life
  bool has_run_delay_ = false;

  std::uint64_t calls_ = 0;         // records in its ring so far
  std::uint64_t last_call_ns_ = 0;  // when that number was last seen to change
  bool in_call_ = false;
  bool made_calls_ = false;

  bool wait_known_ = false;  // wait_ is of a thread that has not moved since
  ThreadWait wait_;
  bool waits_for_gil_ = false;
  std::uint32_t gil_holder_ = 0;

  bool frames_known_ = false;  // frames_ likewise
  FrameIds frames_;
  std::uint64_t thread_state_ = 0;  // the interpreter's, remembered
};

}  // namespace gapscope
