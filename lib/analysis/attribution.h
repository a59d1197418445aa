// Gives every nanosecond of a gap one cause, from what the host was doing meanwhile.
//
// The calls of all launching threads are taken as one sequence: whoever called last is at work, the
// one who calls next is the one that was waited for. Between two calls lies a stretch without any;
// only stretches of kHostStretchNs or more ask what else the threads were doing: by the samples,
// and by the ranges that were open.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "analysis/cause.h"
#include "analysis/cause_slice.h"
#include "analysis/host_evidence.h"
#include "analysis/names.h"
#include "analysis/ranges.h"

namespace gapscope {

class Attribution {
 public:
  // ranges: of the launching threads, swept to the end of each gap; may be null. All outlive this.
  Attribution(const HostEvidence& evidence, const NameTable& names,
              const RangeTracker* ranges = nullptr)
      : evidence_(evidence), names_(names), ranges_(ranges) {}

  // launch: of the operation that ends the gap, if known. All evidence that begins before end_ns
  // has been added. The slices add up to end_ns - begin_ns.
  CauseSlices attribute(std::int64_t begin_ns, std::int64_t end_ns, const Launch& launch) const;
  // The same answer the long way: all evidence is looked at. attribute() takes short cuts.
  CauseSlices weigh(std::int64_t begin_ns, std::int64_t end_ns, const Launch& launch) const;

 private:
  bool nothing_but_launches(std::int64_t begin_ns, std::int64_t end_ns) const;
  // One call of the sequence, and the stretch without calls before it.
  struct Turn {
    const CallEvidence* call = nullptr;  // nullptr: the gap's end, where no call is known
    std::int64_t free_since_ns = 0;      // end of the latest call before
    std::int64_t begin_ns = 0;
    std::uint32_t thread = kNoThread;  // whose turn it is
    std::uint32_t before = kNoThread;  // and whose it was
    bool is_stretch = false;           // long enough to ask what else the threads were doing
  };
  using Turns = absl::InlinedVector<Turn, 16>;

  bool stretch(const Turn& turn) const;
  bool sampled(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const;
  Turns turns(std::int64_t begin_ns, std::int64_t end_ns, const Launch& launch) const;
  void paint_overheads(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                       Unpainted* gap) const;
  void paint_calls(const Turns& turns, Unpainted* gap) const;
  void paint_collections(std::int64_t begin_ns, std::int64_t end_ns, Unpainted* gap) const;
  void paint_waits(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                   const Launch& launch, Unpainted* gap) const;
  void paint_stretches(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                       Unpainted* gap) const;
  void paint_graph_launch(const CallEvidence& call, std::int64_t begin_ns, std::int64_t end_ns,
                          Unpainted* gap) const;
  void paint_rest(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns,
                  const Launch& launch, Unpainted* gap) const;

  // attribution_samples.cc: what a stretch without calls is made of.
  struct Verdict {
    Cause cause = Cause::unattributed;
    EvidenceRef evidence;
  };
  struct Stretch {
    std::int64_t begin_ns, end_ns;
    Verdict most;  // what most of it went to so far
    std::int64_t most_ns = 0;
  };
  // What a sample can say of a stretch: that the thread ran, what blocked it, or only where it was.
  enum class Strength : std::uint8_t { running, blocked, weak };
  static bool ran_inside(const SampleEvidence& sample, const Stretch& stretch);
  void paint_stretch(const Turn& turn, std::int64_t begin_ns, std::int64_t end_ns,
                     Unpainted* gap) const;
  void paint_sample(const SampleEvidence& sample, std::uint32_t thread, Strength strength,
                    Stretch* stretch, Unpainted* gap) const;
  void paint_by_ranges(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns,
                       const Verdict& verdict, bool running, Stretch* stretch,
                       Unpainted* gap) const;
  Verdict in_ranges(Verdict verdict, bool running, const RangeTracker::OpenRanges& ranges) const;
  EvidenceRef silent_thread(const Turns& turns, std::int64_t begin_ns, std::int64_t end_ns) const;
  Verdict judge(const SampleEvidence& sample) const;
  Verdict judge_alone(const SampleEvidence& sample) const;
  Verdict judge_awaited(const SampleEvidence& sample) const;
  bool throttled(const SampleEvidence& sample) const;
  bool of_these_threads(std::uint32_t os_thread_id, const Turns& turns) const;

  const HostEvidence& evidence_;
  const NameTable& names_;
  const RangeTracker* ranges_;
};

}  // namespace gapscope
