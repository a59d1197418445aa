#include "analysis/streams.h"

#include <algorithm>

namespace gapscope {
namespace {

constexpr std::uint64_t kPerThreadHandle = 2;  // CU_STREAM_PER_THREAD

}  // namespace

std::int64_t Progress::promote(Candidate& candidate, std::int64_t& value, std::int64_t age_ns,
                               const TickClock& clock) const {
  if (candidate.launch_ns == kNever) return value;
  if (candidate.seen_ns == kNever) {
    candidate = latest_;
    candidate.seen_ns = clock.now_ns;
  }
  if (clock.flushed_ns > candidate.done_ns && clock.now_ns - candidate.seen_ns >= age_ns) {
    value = candidate.launch_ns;
    candidate = latest_.launch_ns > value ? latest_ : Candidate{};
  }
  return value;
}

std::uint32_t StreamTable::key(std::uint32_t context, std::uint64_t handle, std::uint32_t thread) {
  const Name name{handle, context, handle == kPerThreadHandle ? thread : kNoThread};
  if (last_key_ != kNoSlot && name == last_name_) return last_key_;
  const auto known = keys_.find(name);
  if (known == keys_.end() && streams_.size() >= kMaxStreams) return kNoSlot;
  last_name_ = name;
  if (known != keys_.end()) {
    last_key_ = known->second;
  } else {
    last_key_ = static_cast<std::uint32_t>(streams_.size());
    keys_.emplace(name, last_key_);
    streams_.emplace_back();
  }
  return last_key_;
}

void StreamTable::reached(std::uint32_t key, std::int64_t launch_ns, std::int64_t done_ns) {
  if (key < streams_.size()) streams_[key].operations.reached(launch_ns, done_ns);
}

void StreamTable::synchronised(std::uint32_t key, std::int64_t before_ns, std::int64_t done_ns) {
  if (key < streams_.size()) streams_[key].synchronisations.reached(before_ns, done_ns);
}

void StreamTable::context_synchronised(std::uint32_t context, std::int64_t before_ns,
                                       std::int64_t done_ns) {
  if (contexts_.size() < kMaxStreams || contexts_.contains(context)) {
    contexts_[context].reached(before_ns, done_ns);
  }
}

std::int64_t StreamTable::confirmed_by_operation_ns(std::uint32_t key, const TickClock& clock) {
  return key < streams_.size() ? streams_[key].operations.confirmed_ns(clock) : kNever;
}

std::int64_t StreamTable::confirmed_ns(std::uint32_t key, std::uint32_t context,
                                       const TickClock& clock) {
  std::int64_t time = confirmed_by_operation_ns(key, clock);
  if (key < streams_.size()) {
    time = std::max(time, streams_[key].synchronisations.confirmed_ns(clock));
  }
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? time : std::max(time, found->second.confirmed_ns(clock));
}

std::int64_t StreamTable::reached_ns(std::uint32_t key, std::uint32_t context) const {
  std::int64_t time = kNever;
  if (key < streams_.size()) {
    time = std::max(streams_[key].operations.reached_ns(),
                    streams_[key].synchronisations.reached_ns());
  }
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? time : std::max(time, found->second.reached_ns());
}

std::int64_t StreamTable::settled_by_operation_ns(std::uint32_t key, const TickClock& clock) {
  return key < streams_.size() ? streams_[key].operations.settled_ns(clock) : kNever;
}

std::int64_t StreamTable::settled_ns(std::uint32_t key, std::uint32_t context,
                                     const TickClock& clock) {
  std::int64_t time = settled_by_operation_ns(key, clock);
  if (key < streams_.size()) {
    time = std::max(time, streams_[key].synchronisations.settled_ns(clock));
  }
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? time : std::max(time, found->second.settled_ns(clock));
}

}  // namespace gapscope
