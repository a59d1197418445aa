// Which range was open on a thread at a time in the recent past.
//
// Operations are swept when the device begins them, mostly after the range that launched them was
// popped. So each track (one thread's ranges of one domain) keeps its transitions: from when on
// which instance was the innermost. An instance lives as long as it is open, or a transition or a
// child refers to it.
//
// Bounded: kMaxTransitions transitions of all tracks together (the oldest go first, the last one of
// a track always stays), so as many instances and kMaxTracks * kMaxDepth open ones.
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "analysis/operation.h"
#include "record/record.h"

namespace gapscope {

// One execution of a range.
struct RangeInstance {
  struct Span {  // on one device, from the first operation to the last
    std::int64_t end_ns;
    std::int64_t idle_measure_ns;  // the device's measure when the last operation began
    std::uint8_t device;
  };
  std::int64_t begin_ns = 0;
  std::uint32_t node = 0;  // of RangeTree
  std::uint32_t name_id = kNoString;
  std::uint32_t parent = kNoSlot;  // enclosing instance
  std::uint32_t references = 0;
  Phase phase = Phase::warmup;
  bool open = false;
  bool counted = false;  // inside GAPSCOPE_CAPTURE
  bool adopted = false;  // the parent is of a thread that waits for this one's
  bool step = false;
  absl::InlinedVector<Span, 1> spans;
};

class RangeHistory {
 public:
  static constexpr std::size_t kMaxTransitions = 1u << 17;
  static constexpr std::size_t kMaxTracks = 4096;
  static constexpr std::size_t kMaxDepth = 128;

  struct Transition {
    std::int64_t time_ns;
    std::uint32_t instance;  // kNoSlot: none was open
    bool via;                // of a thread that waits for this one
  };
  struct Track {
    std::uint32_t thread;
    std::uint32_t domain;
    std::int64_t forgotten_ns = kNever;  // nothing is known of before
    std::int64_t skipped = 0;            // pushed beyond kMaxDepth, not yet popped
    std::vector<std::uint32_t> open;     // instances, outermost first
    std::deque<Transition> transitions;  // ascending in time
    bool own_range() const { return !open.empty() || skipped > 0; }
  };

  explicit RangeHistory(std::size_t max_transitions = kMaxTransitions)
      : max_transitions_(std::max(max_transitions, kMaxTracks + 1)) {}

  // kNoSlot when there are too many.
  std::uint32_t make_track(std::uint32_t thread, std::uint32_t domain);
  Track& track(std::uint32_t index) { return tracks_[index]; }
  const Track& track(std::uint32_t index) const { return tracks_[index]; }
  std::size_t tracks() const { return tracks_.size(); }

  // An open instance with one reference, which close() gives back.
  std::uint32_t open(const RangeInstance& instance);
  void close(std::uint32_t instance);
  // One reference more or less, for those who keep an instance outside of a track.
  void keep(std::uint32_t instance);
  void drop(std::uint32_t instance);

  // From time_ns on, that instance is the track's innermost. Times do not descend.
  void add(std::uint32_t track, std::int64_t time_ns, std::uint32_t instance, bool via);

  struct Found {
    std::uint32_t instance = kNoSlot;
    bool via = false;
    bool forgotten = false;            // too long ago to tell
    std::int64_t until_ns = kForever;  // the track's next transition
  };
  Found at(std::uint32_t track, std::int64_t time_ns) const;

  RangeInstance& operator[](std::uint32_t instance) { return instances_[instance]; }
  const RangeInstance& operator[](std::uint32_t instance) const { return instances_[instance]; }

  // Calls f(instance) for each open one.
  template <typename F>
  void for_each_open(F&& f) const {
    for (const RangeInstance& instance : instances_) {
      if (instance.references > 0 && instance.open) f(instance);
    }
  }
  void all_warmup();
  std::size_t held() const { return instances_.size() - free_.size() + order_.size(); }

 private:
  void forget_oldest();

  std::size_t max_transitions_;
  std::vector<RangeInstance> instances_;
  std::vector<std::uint32_t> free_;
  std::deque<Track> tracks_;         // stable references
  std::deque<std::uint32_t> order_;  // the track of each transition, oldest first
};

}  // namespace gapscope
