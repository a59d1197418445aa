// Which launching threads work: inside a CUDA call that does not wait, or outside of calls and seen
// on a CPU by the sampler. (lib/README.md, "waiting" and "CPU/GPU overlap".)
//
// Fed by the sweep in order of time; every function returns by how many threads the number of
// working ones changed. Bounded: kMaxThreads, kMaxEvents; what is beyond is left out.
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/operation.h"

namespace gapscope {

class CpuWork {
 public:
  static constexpr std::size_t kMaxThreads = 1u << 16;
  static constexpr std::size_t kMaxEvents = 1u << 17;

  int call_begins(std::uint32_t thread, ApiCategory category, bool waits);
  int call_ends(std::uint32_t thread, bool waits);

  // The thread was on a CPU for most of [begin_ns, end_ns). May come before its time, but must not
  // begin before an event that was taken; now_ns: what begins earlier begins then.
  void add_sample(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns,
                  std::int64_t now_ns);
  // When a sample begins or ends next, kForever if none does; take_event() takes that one.
  std::int64_t next_ns() const { return events_.empty() ? kForever : events_.front().time_ns; }
  int take_event();

  bool sampled() const { return sampled_; }  // whether there was any sample, on a CPU or not
  void see_sample() { sampled_ = true; }
  std::size_t held() const { return events_.size(); }

 private:
  struct Thread {
    std::int32_t working_calls = 0, waiting_calls = 0, on_cpu = 0;
    bool launches = false;
    bool works() const {
      return working_calls > 0 || (launches && waiting_calls == 0 && on_cpu > 0);
    }
  };
  struct Event {
    std::int64_t time_ns;
    std::uint32_t thread;
    std::int32_t change;
  };

  template <typename Change>
  int change(std::uint32_t thread, Change&& change);

  std::vector<Thread> threads_;
  std::vector<Event> events_;  // a heap, the earliest on top; of those at one time the ends first
  bool sampled_ = false;
};

}  // namespace gapscope
