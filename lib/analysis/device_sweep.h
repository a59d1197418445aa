// One device's time, swept from boundary to boundary: what runs, what is idle, what is unknown.
//
// start() and end() come in order of time. Between two boundaries the set of running operations
// does not change; that stretch (Segment) goes to the tally of the present phase at once while a
// counted operation runs. Otherwise it is held back until another counted operation of the same
// capture range begins: the window ends with the last one, and what follows belongs to nobody.
//
// A call that was closed without its record opens *unknown* time: from its entry to the next
// operation of its stream, or until a synchronisation shows that its stream had drained. Of more
// than kMaxOpenUnknown such launches, further ones are put together with another of their stream,
// else of any: time is then unknown for longer, never idle.
//
// Bounded: running operations, kMaxHeldBack segments, kMaxOpenUnknown launches, UnknownLog.
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/attribution.h"
#include "analysis/device_tally.h"
#include "analysis/gap_observer.h"
#include "analysis/join.h"
#include "analysis/operation.h"
#include "analysis/recent.h"
#include "analysis/segment.h"
#include "analysis/slot_queue.h"
#include "analysis/step_contents.h"
#include "analysis/timeline.h"
#include "analysis/unknown_log.h"

namespace gapscope {

class DeviceSweep {
 public:
  static constexpr std::size_t kMaxHeldBack = 1u << 16;
  static constexpr std::size_t kMaxOpenUnknown = 1024;
  static constexpr std::size_t kMaxOverflowNames = 1u << 16;

  // steps: told of the idle time, may be nullptr.
  DeviceSweep(SlotQueue<Operation>& operations, const Attribution& attribution, StepContents* steps,
              std::size_t max_kernel_names)
      : operations_(operations),
        attribution_(attribution),
        steps_(steps),
        max_kernel_names_(max_kernel_names) {}

  // Of every gap from now on; ordinal: this device's.
  void tell(GapObserver* observer, std::uint32_t ordinal) {
    observer_ = observer;
    ordinal_ = ordinal;
  }

  // Evidence on what the host did before that time is not needed any more.
  std::int64_t settled_until_ns() const { return now_ns_; }

  // op.counted and op.phase are set. range: its capture range, ascending with time.
  void start(std::uint32_t slot, std::int64_t range);
  void end(std::uint32_t slot);
  // An operation whose time has been swept without it: tables only.
  void add_late(const Operation& op);

  void open_unknown(const Call& call);
  // What was launched before that time on the stream (or, with kNoSlot, in the context) is done.
  void synchronised(std::uint32_t stream_key, std::uint32_t context,
                    std::int64_t launched_before_ns, std::int64_t now_ns);
  // The record of a call that had been closed came after all.
  void correct(const ClosedCall& call, const Operation& op, bool whole);

  // The steady state was none: all that was counted in it was warm-up.
  void take_back_steady();

  // Measures up to now_ns, which is not before the last boundary. Whatever is counted.
  std::int64_t busy_ns(std::int64_t now_ns) const {
    return busy_ns_ + (active_.empty() ? 0 : now_ns - now_ns_);
  }
  std::int64_t unknown_ns(std::int64_t now_ns) const {
    return unknown_ns_ + (active_.empty() && !open_unknown_.empty() ? now_ns - now_ns_ : 0);
  }
  bool busy() const { return !active_.empty(); }
  bool unknown() const { return active_.empty() && !open_unknown_.empty(); }
  // Segments that were committed, or left out of the window, because too many were held back.
  std::int64_t forced() const { return forced_; }

  const DeviceTally& tally(Phase phase) const { return tallies_[static_cast<int>(phase)]; }
  const Timeline& timeline() const { return timeline_; }
  const Timeline& steady_timeline() const { return steady_timeline_; }
  std::int64_t kernel_names() const {
    return static_cast<std::int64_t>(admitted_count_ + overflow_names_.size());
  }
  std::size_t held() const { return held_back_.size() + open_unknown_.size() + active_.size(); }

 private:
  struct OpenUnknown {
    std::int64_t since_ns;     // the call's entry
    std::int64_t launched_ns;  // and its exit: what is launched later on its stream runs later
    std::uint32_t stream_key;  // kNoSlot: of several
    std::uint32_t context;     // kNoSlot: of several
    std::uint32_t correlation_id;
    std::uint32_t launches = 1;
    bool before(std::int64_t launch_ns) const {
      return launched_ns <= launch_ns && since_ns < launch_ns;
    }
  };
  struct ClosedUnknown {
    std::int64_t since_ns, until_ns;
  };

  DeviceTally& tally(Phase phase) { return tallies_[static_cast<int>(phase)]; }
  void advance(std::int64_t to_ns, const Operation* next);
  void hold_back(std::int64_t to_ns, const Operation* next);
  void relieve_held_back();
  void crowd(const Call& call);
  void present(std::int64_t to_ns, Segment& segment) const;
  void commit(const Segment& segment);
  void commit_held_back();
  void count_in(Operation& op, std::int64_t range);
  void correct_held_back(const UnknownCorrection& correction, OperationClass op_class);
  void correct_committed(const UnknownCorrection& correction, OperationClass op_class);
  // Closes those open launches for which done(launch) holds; they cannot have run any more.
  template <typename Done>
  void close_unknown(Done&& done) {
    const auto kept = std::stable_partition(open_unknown_.begin(), open_unknown_.end(),
                                            [&](const OpenUnknown& u) { return !done(u); });
    for (auto u = kept; u != open_unknown_.end(); ++u) {
      closed_unknown_.put(u->correlation_id, {u->since_ns, now_ns_});
      open_launches_ -= u->launches;
    }
    open_unknown_.erase(kept, open_unknown_.end());
  }
  std::uint32_t entry_of(std::uint32_t name);
  int& running(const Operation& op) { return running_[static_cast<int>(op.op_class)]; }
  int running(OperationClass c) const { return running_[static_cast<int>(c)]; }

  SlotQueue<Operation>& operations_;
  const Attribution& attribution_;
  StepContents* steps_;
  std::size_t max_kernel_names_;
  GapObserver* observer_ = nullptr;
  std::uint32_t ordinal_ = 0;

  std::int64_t now_ns_ = kNever;  // the last boundary
  std::vector<std::uint32_t> active_;
  int running_[3] = {0, 0, 0};  // by OperationClass
  int running_graphs_ = 0;      // of compute
  int running_counted_ = 0;
  OperationRef last_ended_;
  std::vector<OpenUnknown> open_unknown_;
  std::uint32_t open_launches_ = 0;  // of those
  RecentMap<ClosedUnknown> closed_unknown_{UnknownLog::kPieces};

  bool window_open_ = false;
  std::int64_t range_ = 0;
  Phase phase_ = Phase::warmup;
  std::vector<Segment> held_back_;
  std::int64_t left_out_ = 0;  // segments, since the last counted operation
  UnknownLog unknown_log_;

  std::int64_t busy_ns_ = 0;
  std::int64_t unknown_ns_ = 0;
  std::int64_t kernel_ns_ = 0;  // some kernel ran
  std::int64_t forced_ = 0;

  DeviceTally tallies_[kPhases];
  Timeline timeline_;
  Timeline steady_timeline_;
  std::vector<bool> admitted_;  // by name index
  std::size_t admitted_count_ = 0;
  absl::flat_hash_set<std::uint32_t> overflow_names_;
};

}  // namespace gapscope
