// A stretch of idle time with one cause, and the painter that cuts a gap into such stretches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "analysis/cause.h"
#include "record/record.h"

namespace gapscope {

// What speaks for a cause, named only when a report is made.
struct EvidenceRef {
  // range: a range was open, nothing more is known; running: likewise, and the thread ran; thread:
  // it ran, without a frame or a range.
  enum class Kind : std::uint8_t {
    none,
    api,
    frames,
    wait,
    generation,
    node_tracing,
    range,
    running,
    thread
  };
  Kind kind = Kind::none;
  std::uint32_t id = 0;      // ApiId, string id of the innermost telling frame, ...
  std::uint32_t detail = 0;  // frames: string id of the loader's own frame, kNoString if the same
  // wait: string id of the name of the thread that was waited for, kNoString if unknown. frames:
  // the same, where the frames are that thread's.
  std::uint32_t awaited = kNoString;
  bool guess = false;  // awaited was told from what threads did, not from what was waited for
  std::uint32_t range = kNoString;  // string id of the thread's innermost telling range
  friend bool operator==(const EvidenceRef&, const EvidenceRef&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const EvidenceRef& e) {
    return H::combine(std::move(h), static_cast<int>(e.kind), e.id, e.detail, e.awaited, e.range,
                      e.guess);
  }
};

struct CauseSlice {
  Cause cause = Cause::unattributed;
  std::int64_t ns = 0;
  EvidenceRef evidence;
};
// The stretches of one gap in order of time, without holes: the first begins where the gap does.
using CauseSlices = absl::InlinedVector<CauseSlice, 4>;

// One slice for each cause and evidence: what there was of it in all.
CauseSlices summed(const CauseSlices& slices);

// The part of one gap that has no cause yet. Whoever paints first owns the time, so the slices of a
// gap never overlap and, with finish(), add up to its length exactly.
class Unpainted {
 public:
  // A gap in more stretches than that is told by its sums, one after the other.
  static constexpr std::size_t kMaxSlices = 64;

  struct Interval {
    std::int64_t begin_ns, end_ns;
  };

  Unpainted(std::int64_t begin_ns, std::int64_t end_ns) {
    if (end_ns > begin_ns) left_.push_back({begin_ns, end_ns});
  }

  bool empty() const { return left_.empty(); }
  const absl::InlinedVector<Interval, 8>& intervals() const { return left_; }

  // Gives what is still free of [begin_ns, end_ns) to that cause; returns how much that was.
  std::int64_t paint(std::int64_t begin_ns, std::int64_t end_ns, Cause cause,
                     const EvidenceRef& evidence);
  // Gives all that is left to that cause. Then slices() may be asked.
  void finish(Cause cause, const EvidenceRef& evidence = {});

  const CauseSlices& slices() const { return slices_; }

 private:
  struct Painted {
    std::int64_t begin_ns;
    CauseSlice slice;
  };

  absl::InlinedVector<Interval, 8> left_;    // ascending, disjoint
  absl::InlinedVector<Painted, 4> painted_;  // disjoint
  CauseSlices slices_;
};

}  // namespace gapscope
