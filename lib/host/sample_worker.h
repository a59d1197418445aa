// What the sampler's thread does in one pass. Apart from watch(), which hands over by a mutex that
// only our own two threads know, everything belongs to that thread once it runs.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "host/gc_watch.h"
#include "host/host_sampler.h"
#include "host/python_reader.h"
#include "host/sampled_thread.h"
#include "host/text_table.h"
#include "host/thread_census.h"
#include "host/throttle_watch.h"

namespace gapscope {

class SampleWorker {
 public:
  // ring: the evidence goes there; its producer is the thread that calls pass().
  SampleWorker(const HostOptions& options, ByteRing& ring);

  // On the thread that starts us, before the first pass.
  void find_python();
  const PythonProcess& python() const { return python_.process(); }
  GcWatch* collections() const { return collections_; }  // null when off

  void watch(SampledThread thread);  // any of our threads
  // After a pause: the time until now is not to be sampled.
  void resume();
  void pass();

 private:
  void take_new_threads();
  void look_at_all();
  void look_at_others();
  void find_awaited(SampledThread& thread, ThreadSampleRecord& record);
  SampledThread* busiest_other(const SampledThread& thread);
  void emit(SampledThread& thread, bool blocked_matters);
  void push(ThreadSampleRecord record, const FrameIds& frames);
  void look_at_process(std::uint64_t now_ns);

  const HostOptions& options_;
  ByteRing& ring_;
  TextTable texts_;
  PythonReader python_;
  GcWatch* collections_ = nullptr;  // never destroyed
  ThrottleWatch throttle_;
  ThreadCensus census_;
  std::vector<SampledThread> threads_;
  absl::flat_hash_set<std::uint32_t> watched_;  // their OS threads
  std::vector<std::uint32_t> awaited_;          // candidates whose sample is due in this pass
  std::uint64_t process_ns_ = 0;                // when the process as a whole was last looked at

  std::mutex new_mutex_;
  std::vector<SampledThread> new_threads_;
};

}  // namespace gapscope
