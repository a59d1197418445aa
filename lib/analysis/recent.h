// A map that remembers the most recent entries only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gapscope {

template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(std::size_t capacity) : capacity_(capacity) {}

  // Replaces an entry with that key. The oldest entry goes when there are more than the capacity.
  void put(std::uint32_t key, Value value) {
    const std::uint64_t stamp = ++stamps_;
    entries_.insert_or_assign(key, Entry{stamp, std::move(value)});
    order_.push_back({key, stamp});
    while (order_.size() > capacity_) {
      const auto oldest = entries_.find(order_.front().first);
      // A newer entry with the same key stays, and so does a key erased meanwhile.
      if (oldest != entries_.end() && oldest->second.stamp == order_.front().second) {
        entries_.erase(oldest);
      }
      order_.pop_front();
    }
  }
  // Valid until the next put() or erase(); nullptr when not there.
  Value* find(std::uint32_t key) {
    if (entries_.empty()) return nullptr;
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second.value;
  }
  void erase(std::uint32_t key) { entries_.erase(key); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t stamp;
    Value value;
  };
  std::size_t capacity_;
  std::uint64_t stamps_ = 0;
  absl::flat_hash_map<std::uint32_t, Entry> entries_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> order_;
};

}  // namespace gapscope
