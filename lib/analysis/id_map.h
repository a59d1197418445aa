// A map whose keys are CUPTI's correlation ids.
//
// Ids are handed out one after the other, so those in use at one time lie close together: the
// lowest bits of an id are its place in a table, neighbours share a cache line, and nothing is
// hashed. Whatever finds its place taken (ids of streams that no CUPTI wrote) goes to a hash map,
// so that no choice of ids makes it slow. Memory is that of the largest number held at once.
//
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gapscope {

template <typename Value>
class IdMap {
 public:
  IdMap() { reset(kFewest); }

  // Valid until the next change of the map; nullptr when not there.
  Value* find(std::uint32_t id) {
    Place& place = places_[id & mask_];
    if (place.id == id) return &place.value;
    if (crowded_.empty()) return nullptr;
    const auto found = crowded_.find(id);
    return found == crowded_.end() ? nullptr : &found->second;
  }

  // The value of that id, a new one when there is none. Valid until the next change of the map.
  Value& operator[](std::uint32_t id) {
    if (Value* known = find(id)) return *known;
    if (size() >= places_.size() / 2) grow();
    return insert(id);
  }

  // An id that is not there is no fault.
  void erase(std::uint32_t id) {
    Place& place = places_[id & mask_];
    if (place.id == id) {
      place = {free_id(id & mask_), Value()};
      --placed_;
    } else if (!crowded_.empty()) {
      crowded_.erase(id);
    }
  }

  std::size_t size() const { return placed_ + crowded_.size(); }
  bool empty() const { return size() == 0; }

 private:
  static constexpr std::size_t kFewest = 1024;  // places; a power of two
  struct Place {
    std::uint32_t id;
    Value value;
  };
  // What stands in a place that is free: an id whose own place is another one.
  static std::uint32_t free_id(std::uint32_t place) { return ~place; }

  // id is not there.
  Value& insert(std::uint32_t id) {
    Place& place = places_[id & mask_];
    if ((place.id & mask_) == (id & mask_)) return crowded_[id];
    place.id = id;
    ++placed_;
    return place.value;
  }

  void reset(std::size_t places) {
    mask_ = static_cast<std::uint32_t>(places - 1);
    placed_ = 0;
    places_.resize(places);
    for (std::uint32_t i = 0; i < places; ++i) places_[i] = {free_id(i), Value()};
  }

  void grow() {
    const std::vector<Place> before = std::exchange(places_, {});
    const auto crowded = std::exchange(crowded_, {});
    reset(before.size() * 2);
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      if (before[i].id != free_id(i)) insert(before[i].id) = before[i].value;
    }
    for (const auto& [id, value] : crowded) insert(id) = value;
  }

  std::uint32_t mask_ = 0;
  std::size_t placed_ = 0;
  std::vector<Place> places_;
  absl::flat_hash_map<std::uint32_t, Value> crowded_;  // whose places were taken
};

}  // namespace gapscope
