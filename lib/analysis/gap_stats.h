// Statistics over the idle gaps of one device, and the five longest of them.
//
// Memory: one bin of 16 bytes for each bucket of LogBuckets up to the longest gap (29 KB for a gap
// of 10 s, 59 KB at most), whatever the number of gaps.
//
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record/record.h"
#include "report/report.h"

namespace gapscope {

// Gaps of this length or more are listed singly; all gaps count and get a cause.
inline constexpr std::int64_t kListFloorNs = 5000;

// An operation at the edge of a gap, named only when a report is made.
struct OperationRef {
  RecordKind kind = RecordKind::none;                // kernel, copy, set or graph; none if unknown
  CopyDirection direction = CopyDirection::unknown;  // copies
  std::uint32_t name = 0;  // kernels: an id that the resolver understands, kNoString if none
};

// "memcpy HtoD", "memset", "graph", or what kernel_name gives for the id; empty for none.
std::string operation_name(const OperationRef& operation,
                           const std::function<std::string(std::uint32_t)>& kernel_name);

// A maximal idle interval [begin_ns, end_ns) of a device.
struct Gap {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  OperationRef before;      // the operation that ended last before it
  OperationRef after;       // and the one that ended it
  std::uint32_t cause = 0;  // an id that the resolver understands
};

class GapStats {
 public:
  void add(const Gap& gap) {  // empty and inverted ones are ignored
    if (gap.begin_ns < 0 || gap.end_ns <= gap.begin_ns) return;
    add_length(gap.end_ns - gap.begin_ns);
    keep_if_long(gap);
  }
  void merge(const GapStats& other);

  // Gives the gap that begins there its cause, if it is one of the longest.
  void set_cause(std::int64_t begin_ns, std::uint32_t cause);

  std::int64_t count() const { return count_; }
  std::int64_t total_ns() const { return total_ns_; }
  // The largest length such that gaps of this length or more hold at least half of the idle time,
  // to 0.78 %. 0 without gaps.
  std::int64_t half_ns() const;

  struct Names {
    std::function<std::string(std::uint32_t)> kernel;  // of OperationRef::name
    std::function<std::string(std::uint32_t)> cause;   // of Gap::cause; may be empty
  };
  // first_op_ns: what LongGap::at_ns counts from.
  report::Gaps report(std::int64_t first_op_ns, const Names& names) const;

  static constexpr std::size_t kLongest = 5;

 private:
  void add_length(std::int64_t ns);
  void keep_if_long(const Gap& gap) {
    // A gap as long as the last of the longest would have to begin earlier.
    if (longest_.size() == kLongest &&
        gap.end_ns - gap.begin_ns < longest_.back().end_ns - longest_.back().begin_ns) {
      return;
    }
    keep(gap);
  }
  void keep(const Gap& gap);

  struct Bin {
    std::int64_t count = 0;
    std::int64_t total_ns = 0;
  };
  std::int64_t count_ = 0;
  std::int64_t total_ns_ = 0;
  std::int64_t listed_count_ = 0;
  std::int64_t listed_ns_ = 0;
  std::vector<Bin> bins_;     // by LogBuckets::index, up to the longest gap
  std::vector<Gap> longest_;  // longest first, then earliest first; at most kLongest
};

}  // namespace gapscope
