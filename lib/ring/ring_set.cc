#include "ring/ring_set.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>

namespace gapscope {
namespace {

// Sets made by this process so far; ids start at 1 and are never reused.
std::uint64_t next_set_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

constinit thread_local RingSet::ThreadCache RingSet::cache_{RingSet::kNoSet, nullptr};

RingSet::RingSet(std::size_t ring_bytes, std::size_t max_rings)
    : id_(next_set_id()),
      ring_bytes_(ring_bytes),
      max_rings_(max_rings),
      table_(std::make_unique<std::atomic<Slot*>[]>(max_rings)) {
  // Without a key (a process may have 1,024) the end of a thread goes unnoticed: its ring stays its
  // own, which costs memory but loses nothing.
  has_key_ = pthread_key_create(&key_, &RingSet::thread_ended) == 0;
}

RingSet::~RingSet() {
  if (has_key_) pthread_key_delete(key_);
  for (std::size_t i = 0; i < max_rings_; ++i) delete table_[i].load(std::memory_order_acquire);
}

// On the ending thread. Everything it pushed happens before the release store. A thread without a
// ring has its cache's address as the key's value, so that its end is noticed too.
void RingSet::thread_ended(void* value) noexcept {
  cache_ = {kThreadEnded, nullptr};
  if (value == &cache_) return;
  static_cast<Slot*>(value)->state.store(State::ended, std::memory_order_release);
}

ThreadRing* RingSet::local_slow() noexcept {
  if (cache_.set_id == kThreadEnded) return nullptr;
  const bool turned_away = cache_.set_id == id_;  // from here on without allocation
  if (turned_away && idle_.load(std::memory_order_relaxed) == 0) return nullptr;
  // A thread that went to another set and came back still has its ring here.
  void* const known = has_key_ ? pthread_getspecific(key_) : nullptr;
  if (known != nullptr && known != &cache_) return cache_as(static_cast<Slot*>(known));
  Slot* slot = claim_idle();
  if (slot == nullptr && !turned_away) slot = make_slot();
  if (has_key_ && pthread_setspecific(key_, slot != nullptr ? static_cast<void*>(slot) : &cache_)) {
    // No memory for the key's value: nobody would learn of the thread's end, so it goes without.
    if (slot != nullptr) slot->state.store(State::ended, std::memory_order_release);
    slot = nullptr;
  }
  return cache_as(slot);
}

ThreadRing* RingSet::cache_as(Slot* slot) noexcept {
  cache_ = {id_, slot};
  return slot;
}

RingSet::Slot* RingSet::claim_idle() noexcept {
  if (idle_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::size_t n = rings();
  for (std::size_t i = 0; i < n; ++i) {
    Slot* slot = table_[i].load(std::memory_order_acquire);
    State expected = State::idle;
    if (slot != nullptr && slot->state.load(std::memory_order_relaxed) == State::idle &&
        slot->state.compare_exchange_strong(expected, State::claimed, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      idle_.fetch_sub(1, std::memory_order_relaxed);
      fill_in(*slot);
      slot->state.store(State::live, std::memory_order_release);
      return slot;
    }
  }
  return nullptr;
}

// The ring is made before a place in the table is taken, so that a failed allocation takes none.
RingSet::Slot* RingSet::make_slot() noexcept {
  std::size_t place = made_.load(std::memory_order_relaxed);
  if (place >= max_rings_) return nullptr;
  Slot* slot = nullptr;
  try {
    slot = new Slot(ring_bytes_);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  while (!made_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) {
    if (place >= max_rings_) {
      delete slot;
      return nullptr;
    }
  }
  fill_in(*slot);
  table_[place].store(slot, std::memory_order_release);
  return slot;
}

void RingSet::fill_in(Slot& slot) noexcept {
  slot.thread_index = threads_.fetch_add(1, std::memory_order_relaxed);
  slot.os_thread_id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  slot.ring.set_thread(slot.thread_index);
  slot.outermost_correlation_id = 0;  // of the thread that had it before
  slot.graph_nodes_created = 0;
}

template <typename F>
void RingSet::each_slot(F&& f) const {
  const std::size_t n = rings();
  for (std::size_t i = 0; i < n; ++i) {
    if (Slot* slot = table_[i].load(std::memory_order_acquire)) f(*slot);
  }
}

void RingSet::for_each(const std::function<void(ThreadRing&)>& f) {
  each_slot([&](Slot& slot) {
    const State state = slot.state.load(std::memory_order_acquire);
    if (state != State::live && state != State::ended) return;
    f(slot);
    if (state == State::ended) recycle(slot, f);
  });
}

// The thread had ended before the visit, so this thread may act for the producer. idle_ is raised
// after the state: a thread that sees it finds the slot.
void RingSet::recycle(Slot& slot, const std::function<void(ThreadRing&)>& f) {
  if (!slot.ring.empty()) return;  // f left something: next time
  if (slot.ring.flush_loss()) f(slot);
  if (!slot.ring.empty()) return;
  slot.in_call_since_ns.store(0, std::memory_order_relaxed);
  slot.state.store(State::idle, std::memory_order_release);
  idle_.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t RingSet::oldest_call_in_progress_ns() const noexcept {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  each_slot([&](const Slot& slot) {
    const std::uint64_t since = slot.in_call_since_ns.load(std::memory_order_relaxed);
    if (since != 0) oldest = std::min(oldest, since);
  });
  return oldest;
}

RingSet::Totals RingSet::totals() const {
  Totals totals;
  for (std::size_t k = 0; k < kRecordKinds; ++k) {
    totals.offered[k] = totals.dropped[k] = unringed_[k].load(std::memory_order_relaxed);
  }
  each_slot([&](const Slot& slot) {
    for (std::size_t k = 0; k < kRecordKinds; ++k) {
      const auto kind = static_cast<RecordKind>(k);
      totals.offered[k] += slot.ring.offered(kind);
      totals.consumed[k] += slot.ring.consumed(kind);
      totals.dropped[k] += slot.ring.dropped(kind);
    }
  });
  return totals;
}

std::uint64_t RingSet::unfindable() const noexcept {
  std::uint64_t records = 0;
  each_slot([&](const Slot& slot) {
    for (std::size_t k = 0; k < kRecordKinds; ++k) {
      const auto kind = static_cast<RecordKind>(k);
      // In this order: what the producer does meanwhile makes it less, not more.
      const std::uint64_t offered = slot.ring.offered(kind);
      const std::uint64_t accounted = slot.ring.consumed(kind) + slot.ring.dropped(kind);
      const bool quiet = slot.ring.empty() && slot.in_call_since_ns.load() == 0;
      if (quiet && offered > accounted) records += offered - accounted;
    }
  });
  return records;
}

std::size_t RingSet::rings() const noexcept { return made_.load(std::memory_order_relaxed); }

std::size_t RingSet::memory_bytes() const noexcept {
  std::size_t bytes = max_rings_ * sizeof(std::atomic<Slot*>);
  each_slot([&](const Slot& slot) { bytes += sizeof(Slot) + slot.ring.capacity_bytes(); });
  return bytes;
}

}  // namespace gapscope
