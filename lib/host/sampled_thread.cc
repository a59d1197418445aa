#include "host/sampled_thread.h"

#include <algorithm>

#include "runtime/clock.h"

namespace gapscope {

const std::string& SampledThread::name() {
  if (!has_name_) name_ = probe_.name();
  has_name_ = true;
  return name_;
}

bool SampledThread::look(std::uint64_t max_interval_ns) {
  const std::uint64_t now = now_ns();
  std::uint64_t cpu = 0;
  if (!probe_.cpu_ns(&cpu)) return false;
  const bool first = end_ns_ == 0 || now <= end_ns_ || now - end_ns_ > max_interval_ns;
  begin_ns_ = first ? 0 : end_ns_;
  end_ns_ = now;
  const std::uint64_t ran = cpu - cpu_ns_;
  cpu_ns_ = cpu;
  if (first || ran != 0) wait_known_ = frames_known_ = false;
  look_at_calls();
  if (first) return true;
  on_cpu_ns_ = std::min(ran, end_ns_ - begin_ns_);
  look_at_wait();
  return true;
}

// Calls are counted by the thread itself, in its ring: nothing is added to their cost.
void SampledThread::look_at_calls() {
  if (ring_ == nullptr) return;
  const std::uint64_t calls = ring_->ring.offered(RecordKind::api_call);
  const std::uint64_t since = ring_->in_call_since_ns.load(std::memory_order_relaxed);
  made_calls_ = calls != calls_;
  if (made_calls_) last_call_ns_ = end_ns_;
  if (since != 0) last_call_ns_ = std::max(last_call_ns_, since);
  calls_ = calls;
  in_call_ = since != 0;
}

void SampledThread::look_at_wait() {
  runnable_ns_ = 0;
  if (mostly_ran()) {
    wait_ = {};
    wait_.state = 'R';
    return;
  }
  // A thread that has not moved may have been woken all the same, and wait for a CPU.
  if (!wait_known_ || probe_.is_runnable()) {
    wait_ = probe_.wait();
    waits_for_gil_ = false;
  }
  std::uint64_t delay = 0;
  if (!wait_known_ && probe_.runnable_ns(&delay)) {
    if (has_run_delay_ && delay > run_delay_ns_) {
      runnable_ns_ = std::min(delay - run_delay_ns_, end_ns_ - begin_ns_ - on_cpu_ns_);
    }
    run_delay_ns_ = delay;
    has_run_delay_ = true;
  }
}

void SampledThread::inspect(PythonReader& python, std::size_t max_frames) {
  if (!quiet()) {
    frames_.clear();
    frames_known_ = false;
    wait_known_ = !mostly_ran();
    return;
  }
  if (!frames_known_ && max_frames > 0) {
    python.frames(os_tid(), max_frames, monotonic_ns(), &thread_state_, &frames_);
  }
  if (!wait_known_ && wait_.where == "futex") {
    waits_for_gil_ = python.waits_for_gil(os_tid(), wait_.argument, &thread_state_, &gil_holder_);
  }
  wait_known_ = frames_known_ = !mostly_ran();
}

ThreadSampleRecord SampledThread::sample(TextTable& texts, FrameIds* ids) const {
  auto record = make_record<ThreadSampleRecord>(thread_index_);
  record.begin_ns = begin_ns_;
  record.end_ns = end_ns_;
  record.on_cpu_ns = on_cpu_ns_;
  record.runnable_ns = runnable_ns_;
  record.os_thread_id = os_tid();
  record.state = wait_.state;
  record.waits_for = kNoThread;
  if (in_call_) record.header.flags |= kSampleInCall;
  record.wait_id = texts.id(waits_for_gil_ ? "GIL" : wait_.where);
  *ids = quiet() ? frames_ : FrameIds();
  return record;
}

}  // namespace gapscope
