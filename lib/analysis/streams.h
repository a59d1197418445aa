// How far each stream is known to have come: which launches lie before one that has its record.
//
// A stream runs its operations in order, so a launch without a record that lies before a launch
// with one has finished too: its record was lost, or is in a buffer that is not delivered yet.
// Hence two grades: `confirmed` (a flush began after the later one had ended) and `settled` (and it
// is 2 s of tick time ago). A successful synchronisation counts like a launch with a record.
//
// Bounded: kMaxStreams streams, further ones have no progress of their own.
// Thread-safety: none, one owner.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/operation.h"

namespace gapscope {

// Time as the tick records tell it.
struct TickClock {
  std::int64_t now_ns = 0;
  std::int64_t flushed_ns = 0;
};

class Progress {
 public:
  // A launch at that time has its record, by which it ended at done_ns.
  void reached(std::int64_t launch_ns, std::int64_t done_ns) {
    if (launch_ns <= latest_.launch_ns) return;
    latest_ = {launch_ns, done_ns, kNever};
    if (confirming_.launch_ns == kNever) confirming_ = latest_;
    if (settling_.launch_ns == kNever) settling_ = latest_;
  }
  std::int64_t confirmed_ns(const TickClock& clock) {
    return promote(confirming_, confirmed_ns_, 0, clock);
  }
  std::int64_t settled_ns(const TickClock& clock) {
    return promote(settling_, settled_ns_, kSettleNs, clock);
  }
  // Of the latest launch that was reached, kNever if none.
  std::int64_t reached_ns() const { return latest_.launch_ns; }
  static constexpr std::int64_t kSettleNs = 2'000'000'000;

 private:
  struct Candidate {
    std::int64_t launch_ns = kNever;
    std::int64_t done_ns = 0;
    std::int64_t seen_ns = kNever;  // tick time of the first look after it came
  };
  std::int64_t promote(Candidate& candidate, std::int64_t& value, std::int64_t age_ns,
                       const TickClock& clock) const;

  Candidate latest_;
  std::int64_t confirmed_ns_ = kNever;
  std::int64_t settled_ns_ = kNever;
  Candidate confirming_;
  Candidate settling_;
};

class StreamTable {
 public:
  static constexpr std::size_t kMaxStreams = 1u << 16;

  // The key of a stream as a call names it; kNoSlot beyond kMaxStreams.
  std::uint32_t key(std::uint32_t context, std::uint64_t handle, std::uint32_t thread);

  // A launch on that stream has its record.
  void reached(std::uint32_t key, std::int64_t launch_ns, std::int64_t done_ns);
  // Everything launched before that time on the stream, or in the context, had finished at done_ns.
  void synchronised(std::uint32_t key, std::int64_t before_ns, std::int64_t done_ns);
  void context_synchronised(std::uint32_t context, std::int64_t before_ns, std::int64_t done_ns);

  // Launches before these times have finished; by a later operation, or by synchronisation too.
  std::int64_t confirmed_by_operation_ns(std::uint32_t key, const TickClock& clock);
  std::int64_t confirmed_ns(std::uint32_t key, std::uint32_t context, const TickClock& clock);
  std::int64_t settled_by_operation_ns(std::uint32_t key, const TickClock& clock);
  std::int64_t settled_ns(std::uint32_t key, std::uint32_t context, const TickClock& clock);

  // The same at once, whether flushed since or not: what was launched before has surely ended.
  std::int64_t reached_ns(std::uint32_t key, std::uint32_t context) const;

  std::size_t size() const { return streams_.size(); }

 private:
  struct Name {
    std::uint64_t handle;
    std::uint32_t context;
    std::uint32_t thread;  // of the per-thread default stream, else kNoThread
    bool operator==(const Name& other) const {
      return handle == other.handle && context == other.context && thread == other.thread;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Name& n) {
      return H::combine(std::move(h), n.handle, n.context, n.thread);
    }
  };
  struct Stream {
    Progress operations;
    Progress synchronisations;
  };

  absl::flat_hash_map<Name, std::uint32_t> keys_;
  Name last_name_{0, 0, 0};
  std::uint32_t last_key_ = kNoSlot;
  std::vector<Stream> streams_;
  absl::flat_hash_map<std::uint32_t, Progress> contexts_;
};

}  // namespace gapscope
