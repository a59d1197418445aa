// Orders and joins what the records say, and decides up to when it is final.
//
// Everything that begins before the watermark is final and is swept; the watermark is the least of
// what the last tick vouches for (calls in progress, flushed buffers) and the entry of the oldest
// call whose record is still to come. A record that begins before what has been swept is late.
//
// Bounded: when more than max_pending operations or calls are held back, the earlier half is swept
// as it is (overflow()).
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/analysis.h"
#include "analysis/join.h"
#include "analysis/names.h"
#include "analysis/operation.h"
#include "analysis/queue_full.h"
#include "analysis/slot_queue.h"
#include "analysis/streams.h"
#include "analysis/sweep.h"

namespace gapscope {

class Engine {
 public:
  Engine(const AnalysisOptions& options, const NameTable& names, const QueueFull& queue_full);

  // Times are plausible (plausible_times).
  // op is given its launch on the way.
  void add(Operation& op);
  void add(const UntimedRecord& record) { join_.meet(record); }
  void add(const ApiCallRecord& record);
  void add(const MarkRecord& record);
  void tick(const TickRecord& record);

  std::size_t outstanding() { return join_.outstanding(clock_); }
  // What is final: everything before it. At the end of the run, the last tick.
  std::int64_t complete_until_ns() const;
  std::int64_t last_tick_ns() const { return clock_.now_ns; }
  std::int64_t swept_ns() const { return swept_ns_; }

  const Sweep& sweep() const { return sweep_; }
  RangeTracker& ranges() { return sweep_.ranges(); }
  HostEvidence& evidence() { return sweep_.evidence(); }
  void add_sample(const RecordHeader& header) { sweep_.add_sample(header); }
  std::int64_t seen() const { return seen_ - join_.invalid(); }
  std::int64_t invalid() const { return join_.invalid() + join_.untimed(); }
  std::int64_t incomplete() const { return join_.incomplete(); }
  std::int64_t unmatched() const { return join_.unmatched(); }
  std::int64_t orphaned() const { return join_.orphaned(); }
  std::int64_t late() const { return late_; }
  // Of calls and marks.
  std::int64_t late_calls() const { return late_calls_; }
  std::int64_t missing_nodes() const { return join_.missing_nodes(); }
  std::int64_t overflow() const { return overflow_ + sweep_.overflow(); }
  // Entries in all tables that the number of records could make grow.
  std::size_t held() const;

 private:
  void settle();
  std::int64_t hold_at_open_calls(std::int64_t until_ns);
  void finalise(std::int64_t until_ns);
  void finish();
  void relieve(std::size_t pending, std::int64_t middle_ns);
  template <typename Queue>
  void check_room(Queue& queue);

  std::size_t max_pending_;
  SlotQueue<Operation> operations_;
  SlotQueue<Call> calls_;
  SlotQueue<PendingMark> marks_;
  Join join_;
  Sweep sweep_;
  TickClock clock_;
  std::int64_t swept_ns_ = 0;
  std::uint64_t marks_added_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t late_ = 0;
  std::int64_t late_calls_ = 0;
  std::int64_t overflow_ = 0;
  bool finished_ = false;
};

}  // namespace gapscope
