#include "analysis/ranges_history.h"

#include <algorithm>

namespace gapscope {

std::uint32_t RangeHistory::make_track(std::uint32_t thread, std::uint32_t domain) {
  if (tracks_.size() >= kMaxTracks) return kNoSlot;
  Track& track = tracks_.emplace_back();
  track.thread = thread;
  track.domain = domain;
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

std::uint32_t RangeHistory::open(const RangeInstance& instance) {
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(instances_.size());
    instances_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  RangeInstance& made = instances_[slot];
  made = instance;
  made.open = true;
  made.references = 1;
  if (made.parent != kNoSlot) keep(made.parent);
  return slot;
}

void RangeHistory::close(std::uint32_t instance) {
  instances_[instance].open = false;
  drop(instance);
}

void RangeHistory::keep(std::uint32_t instance) { ++instances_[instance].references; }

void RangeHistory::drop(std::uint32_t instance) {
  while (instance != kNoSlot && --instances_[instance].references == 0) {
    free_.push_back(instance);
    instance = instances_[instance].parent;
  }
}

void RangeHistory::add(std::uint32_t track_index, std::int64_t time_ns, std::uint32_t instance,
                       bool via) {
  Track& track = tracks_[track_index];
  if (instance != kNoSlot) keep(instance);
  track.transitions.push_back({time_ns, instance, via});
  order_.push_back(track_index);
  // At most one track after the other is put off, and the cap is above the number of tracks.
  while (order_.size() > max_transitions_) forget_oldest();
}

// The oldest transition goes. The last one of a track holds until now and is put off instead.
void RangeHistory::forget_oldest() {
  const std::uint32_t index = order_.front();
  order_.pop_front();
  Track& track = tracks_[index];
  if (track.transitions.size() == 1) {
    order_.push_back(index);
    return;
  }
  if (track.transitions.front().instance != kNoSlot) drop(track.transitions.front().instance);
  track.transitions.pop_front();
  track.forgotten_ns = track.transitions.front().time_ns;
}

RangeHistory::Found RangeHistory::at(std::uint32_t track_index, std::int64_t time_ns) const {
  const Track& track = tracks_[track_index];
  Found found;
  if (track.transitions.empty()) return found;
  const auto after =
      std::upper_bound(track.transitions.begin(), track.transitions.end(), time_ns,
                       [](std::int64_t time, const Transition& t) { return time < t.time_ns; });
  if (after != track.transitions.end()) found.until_ns = after->time_ns;
  if (after == track.transitions.begin()) {
    found.forgotten = time_ns < track.forgotten_ns;
    return found;
  }
  found.instance = (after - 1)->instance;
  found.via = (after - 1)->via;
  return found;
}

void RangeHistory::all_warmup() {
  for (RangeInstance& instance : instances_) instance.phase = Phase::warmup;
}

}  // namespace gapscope
