// A pool of T with stable slots, and a queue of them in order of start_ns.
//
// Adding is O(1); settle() sorts only what was added since and merges it with the part of the queue
// that it overlaps, so that nearly ordered input costs little. Slots are reused; memory is that of
// the largest number held at once.
//
// Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "analysis/start_order.h"

namespace gapscope {

template <typename T>
class SlotQueue {
 public:
  std::uint32_t add(const T& value) {
    const std::uint32_t slot = take_slot();
    incoming_.push_back({value.start_ns, slot});
    (*this)[slot] = value;
    return slot;
  }
  T& operator[](std::uint32_t slot) { return chunks_[slot >> kChunkBits][slot & kChunkMask]; }
  const T& operator[](std::uint32_t slot) const {
    return chunks_[slot >> kChunkBits][slot & kChunkMask];
  }

  // Puts what was added since into its place.
  void settle() {
    if (incoming_.empty()) return;
    const auto before = [this](const Entry& a, const Entry& b) {
      if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
      return sweeps_before((*this)[a.slot], (*this)[b.slot]);
    };
    if (!std::is_sorted(incoming_.begin(), incoming_.end(), before)) {
      sort_by_start(incoming_, scratch_);
      order_equals(before);
    }
    const bool append = head_ == queue_.size() || !before(incoming_.front(), queue_.back());
    const auto size = static_cast<std::ptrdiff_t>(queue_.size());
    queue_.insert(queue_.end(), incoming_.begin(), incoming_.end());
    if (!append) {
      const auto middle = queue_.begin() + size;
      const auto first = std::upper_bound(queue_.begin() + static_cast<std::ptrdiff_t>(head_),
                                          middle, incoming_.front(), before);
      std::inplace_merge(first, middle, queue_.end(), before);
    }
    incoming_.clear();
    first_start_ns_ = queue_[head_].start_ns;
  }

  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  // Start of the first settled one; kNone if there is none.
  std::int64_t first_start_ns() const { return first_start_ns_; }
  // The settled part, in order. at(0) is the first.
  std::size_t settled() const { return queue_.size() - head_; }
  std::int64_t start_at(std::size_t i) const { return queue_[head_ + i].start_ns; }
  std::uint32_t slot_at(std::size_t i) const { return queue_[head_ + i].slot; }
  // Takes the first out of the queue; its slot stays valid until release().
  std::uint32_t pop() {
    const std::uint32_t slot = queue_[head_++].slot;
    first_start_ns_ = head_ < queue_.size() ? queue_[head_].start_ns : kNone;
    if (head_ >= kCompactAt && head_ * 2 >= queue_.size()) {
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return slot;
  }
  void release(std::uint32_t slot) { free_.push_back(slot); }

  // Held back: settled or not, not yet popped.
  std::size_t pending() const { return settled() + incoming_.size(); }
  // Slots in use, popped ones that are not released included.
  std::size_t held() const { return used_ - free_.size(); }

 private:
  struct Entry {
    std::int64_t start_ns;
    std::uint32_t slot;
  };
  static constexpr std::uint32_t kChunkBits = 10;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkBits) - 1;
  static constexpr std::size_t kCompactAt = 4096;

  // Those that begin at one instant, wherever they came from.
  template <typename Before>
  void order_equals(Before before) {
    const auto end = incoming_.end();
    for (auto first = incoming_.begin(); first != end;) {
      auto last = std::next(first);
      while (last != end && last->start_ns == first->start_ns) ++last;
      if (last - first > 1) std::sort(first, last, before);
      first = last;
    }
  }

  std::uint32_t take_slot() {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if ((used_ & kChunkMask) == 0) chunks_.push_back(std::make_unique<T[]>(kChunkMask + 1));
    return used_++;
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
  std::vector<Entry> queue_;
  std::size_t head_ = 0;
  std::int64_t first_start_ns_ = kNone;
  std::vector<Entry> incoming_;
  std::vector<Entry> scratch_;  // of sorting
};

}  // namespace gapscope
