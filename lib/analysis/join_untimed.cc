// Records without usable times. Part of join.h.
#include <algorithm>

#include "analysis/join.h"

namespace gapscope {
namespace {

bool same_context(std::uint32_t a, std::uint32_t b) { return a == b || a == 0 || b == 0; }

}  // namespace

void Join::meet(const UntimedRecord& record) {
  const bool may_run = (record.header.flags & kUntimedNoEnd) != 0;
  const std::uint32_t* found = open_calls_.find(record.correlation_id);
  if (found != nullptr && same_context(calls_[*found].context, record.context)) {
    return add_untimed(calls_[*found], 1, may_run);
  }
  ++untimed_;
  ClosedCall* closed = closed_.find(record.correlation_id);
  if (closed != nullptr && closed->unmatched && same_context(closed->context, record.context)) {
    --unmatched_;
    closed->unmatched = false;
    return;
  }
  EarlyUntimed early{record.context, 1, may_run};
  if (const EarlyUntimed* others = early_untimed_.find(record.correlation_id)) {
    early.count += others->count;
    early.may_run |= others->may_run;
  }
  early_untimed_.put(record.correlation_id, early);
}

void Join::add_untimed(Call& call, std::uint32_t count, bool may_run) {
  if (call.untimed == 0 && call.expects == Expects::one) ++open_untimed_;
  call.untimed += count;
  call.may_run |= may_run;
}

void Join::take_early_untimed(Call& call) {
  const EarlyUntimed* early = early_untimed_.find(call.correlation_id);
  if (early == nullptr || !same_context(early->context, call.context)) return;
  untimed_ -= early->count;
  add_untimed(call, early->count, early->may_run);
  early_untimed_.erase(call.correlation_id);
}

// The call is being closed. Running at the end is what has no end and nothing behind it that has
// one.
void Join::count_untimed(const Call& call) {
  if (call.untimed == 0) return;
  if (call.expects == Expects::one) --open_untimed_;
  const bool over = !call.may_run || (call.matched > 0 && call.expects != Expects::many) ||
                    later_than(call, streams_.reached_ns(call.stream_key, call.context));
  (over ? untimed_ : incomplete_) += call.untimed;
}

}  // namespace gapscope
