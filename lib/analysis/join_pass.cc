// When time may be finalised past a call whose record has not come. Part of join.h.
#include "analysis/join.h"

namespace gapscope {
namespace {

// A call without a record on a stream that shows no progress is given up after this time, but only
// when memory is short: a kernel may well run that long.
constexpr std::int64_t kPressedNs = 30'000'000'000;
// A graph launch on a stream that is never used again nor synchronised.
constexpr std::int64_t kQuietGraphNs = 10'000'000'000;
// What runs for longer than this may keep other records from being delivered by any flush.
constexpr std::int64_t kLongNs = 1'000'000'000;

}  // namespace

bool Join::may_pass_many(Call& call, const TickClock& clock) {
  if (later_than(call, streams_.confirmed_by_operation_ns(call.stream_key, clock))) return true;
  const auto size = graph_sizes_.find(call.graph_id);
  if (size != graph_sizes_.end() && call.matched + call.untimed >= size->second.operations)
    return true;
  if (clock.now_ns - call.held_up_ns >= kQuietGraphNs && clock.flushed_ns > call.own_end_ns) {
    return true;
  }
  return later_than(call, streams_.settled_ns(call.stream_key, call.context, clock));
}

// A flush hands back no buffer that holds a record without an end. So a synchronisation tells that
// an operation has ended, but not that its record is lost, while a later one runs for seconds.
bool Join::may_be_withheld(const Call& call, const TickClock& clock) {
  if (running_looked_ns_ != clock.now_ns) {
    running_looked_ns_ = clock.now_ns;
    running_since_ns_ = kNever;
    for (std::size_t i = calls_.settled(); i > 0; --i) {
      const Call& later = calls_[calls_.slot_at(i - 1)];
      const bool running =
          later.state == CallState::open && later.expects != Expects::maybe && later.matched == 0 &&
          later.untimed == 0 && clock.now_ns - later.start_ns >= kLongNs &&
          !later_than(later, streams_.confirmed_ns(later.stream_key, later.context, clock));
      if (!running) continue;
      running_since_ns_ = later.start_ns;
      break;
    }
  }
  return running_since_ns_ > call.start_ns;
}

// The entry of the first call after that time whose record is still to come.
std::int64_t Join::first_open_ns(std::int64_t after_ns, const TickClock& clock) {
  if (open_looked_ns_ == clock.now_ns && first_open_ns_ > after_ns) return first_open_ns_;
  open_looked_ns_ = clock.now_ns;
  first_open_ns_ = kForever;
  std::size_t low = 0;
  for (std::size_t high = calls_.settled(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (calls_.start_at(middle) > after_ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  for (; low < calls_.settled(); ++low) {
    const Call& call = calls_[calls_.slot_at(low)];
    const bool waits = call.state == CallState::open && call.expects != Expects::maybe &&
                       call.matched == 0 && call.untimed == 0;
    if (waits) return first_open_ns_ = call.start_ns;
  }
  return first_open_ns_;
}

// No record of a copy that may leave none says nothing as long as it may be in a buffer that is
// held up: by something launched since, and before the operation of its stream that has its record;
// or, where a synchronisation alone tells that it is over, before the last flush.
bool Join::may_pass_maybe(Call& call, const TickClock& clock) {
  const std::int64_t open_ns = first_open_ns(call.start_ns, clock);
  const std::int64_t by_operation_ns = streams_.confirmed_by_operation_ns(call.stream_key, clock);
  if (later_than(call, by_operation_ns) && open_ns >= by_operation_ns) return true;
  if (later_than(call, streams_.confirmed_ns(call.stream_key, call.context, clock)) &&
      open_ns >= clock.flushed_ns) {
    return true;
  }
  return clock.now_ns - call.held_up_ns >= Progress::kSettleNs &&
         clock.flushed_ns > call.held_up_ns && !may_be_withheld(call, clock);
}

bool Join::may_pass(std::uint32_t slot, const TickClock& clock, bool pressed) {
  Call& call = calls_[slot];
  if (call.state != CallState::open) return true;
  if (call.held_up_ns == kNever) call.held_up_ns = clock.now_ns;
  bool pass = false;
  if (call.expects == Expects::maybe) {
    pass = may_pass_maybe(call, clock);
  } else if (call.matched > 0) {
    pass = may_pass_many(call, clock);
  } else {
    pass = later_than(call, streams_.settled_by_operation_ns(call.stream_key, clock)) ||
           (later_than(call, streams_.settled_ns(call.stream_key, call.context, clock)) &&
            !may_be_withheld(call, clock)) ||
           (pressed && clock.now_ns - call.held_up_ns >= kPressedNs);
  }
  if (pass) close(slot);
  return pass;
}

std::size_t Join::outstanding(const TickClock& clock) {
  std::size_t count = open_calls_.size() - open_maybe_ - open_untimed_;
  for (const std::uint32_t slot : open_graph_launches_) {
    Call& call = calls_[slot];
    if (call.held_up_ns == kNever) call.held_up_ns = clock.now_ns;
    if (call.matched > 0 &&
        (later_than(call, streams_.confirmed_ns(call.stream_key, call.context, clock)) ||
         may_pass_many(call, clock))) {
      --count;
    }
  }
  return count;
}

}  // namespace gapscope
