// A lock-free single-producer single-consumer ring of variable-sized records.
//
// The producer reserves room, writes the record in place and commits with one release store; it
// never waits: when the ring is full the record is dropped and counted, and the next record that
// fits is preceded by a LostRecord. Records are contiguous in memory; where one would wrap, the
// rest of the ring is skipped by a filler (a bare header of kind none). Each side keeps a cached
// copy of the other's index and reads the shared one only when the cached one does not suffice.
//
// offered(k) == consumed(k) + dropped(k) for every RecordKind k once both sides are quiet
// (LostRecords, which the ring itself adds, are counted in none of the three).
//
// Indices count bytes since the ring was made and never wrap (64 bits); masked, they are offsets.
//
//            read                    write               read + capacity
//             |                        |                       |
//   ...-------+-----+------+---+-------+-----------------------+---...
//     free    | rec | lost | filler | rec |       free         |
//   ...-------+-----+------+---+-------+-----------------------+---...
//             |<-- the consumer's ---->|<-- the producer's --->|
//
// Who touches what, with which memory order:
//
//   field          producer               consumer              others
//   write          relaxed load,          acquire load, once    relaxed load
//                  release store           a drain
//   read           acquire load when      relaxed load,         relaxed load
//                  `limit` is reached     release store
//   record bytes   writes [write, limit)  reads [read, write)   -
//   limit, next,   reads, writes          -                     -
//    seen_read
//   written,       relaxed load + store   -                     relaxed load
//    dropped
//   consumed       -                      relaxed load + store  relaxed load
//
// The release store of `write` publishes the bytes of the record to the consumer's acquire load;
// the release store of `read` returns them: the producer's acquire load sees that the consumer has
// finished with them before they are overwritten. Counters have one writer each, so a relaxed load
// and a relaxed store suffice; no read-modify-write anywhere.
//
// One comparison makes the fast path: `limit` is the least of (1) the end of the room that the
// consumer is known to have returned, (2) the end of the buffer, where a filler may be needed, (3)
// a quarter of the ring ahead, so that seen_read is never staler than that, and (4) zero while a
// loss waits for its LostRecord. All that is out of the ordinary happens out of line.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "record/record.h"

namespace gapscope {

// Two cache lines: adjacent lines are fetched in pairs by common processors.
inline constexpr std::size_t kSharingBytes = 128;

class ByteRing {
 public:
  // capacity_bytes: a power of two, at least 4 * kMaxRecordBytes; other values are raised to the
  // next one. Allocates; throws std::bad_alloc. Pages are touched only as records reach them.
  explicit ByteRing(std::size_t capacity_bytes);
  ~ByteRing();
  ByteRing(const ByteRing&) = delete;
  ByteRing& operator=(const ByteRing&) = delete;

  // --- producer thread only; nothing here throws, waits, allocates or calls the system ---
  // kind is neither none nor lost: those two are the ring's own.

  // Room for a record of size_bytes (multiple of 8, <= kMaxRecordBytes), or nullptr when full (the
  // record then counts as dropped). A reserved record must be committed before the next reserve;
  // its header must by then hold the same size and kind.
  void* reserve(std::size_t size_bytes, RecordKind kind) noexcept;
  void commit() noexcept;
  // Copies a whole record in, as long as its header says; false when dropped.
  bool push(const RecordHeader& record) noexcept;
  // The same for a record whose size is sizeof(T): the shortest path.
  template <typename T>
  bool push_fixed(const T& record) noexcept;
  // True when at least half full, as far as the producer knows without touching shared lines.
  bool looks_half_full() const noexcept;
  // Thread index that LostRecords carry.
  void set_thread(std::uint32_t thread_index) noexcept { producer_.thread = thread_index; }
  // Writes the LostRecord of a loss that no record has followed yet; false when there is no such
  // loss or no room. The consumer may call it once the producer thread is known to have ended.
  bool flush_loss() noexcept;

  // --- consumer thread only ---
  // Calls f(const RecordHeader&) for each committed record that was there at the call's begin,
  // LostRecords included; returns how many. The record is valid during the call. f must not throw.
  template <typename F>
  std::size_t drain(F&& f);

  // --- any thread; exact once both sides are quiet ---
  std::uint64_t offered(RecordKind kind) const noexcept {
    return load(producer_.written, kind) + load(producer_.dropped, kind);
  }
  std::uint64_t consumed(RecordKind kind) const noexcept { return load(consumer_.consumed, kind); }
  std::uint64_t dropped(RecordKind kind) const noexcept { return load(producer_.dropped, kind); }
  bool empty() const noexcept;
  std::size_t capacity_bytes() const noexcept { return capacity_; }

 private:
  // One counter a kind, rotated so that the kinds which producers write most come first: those
  // stand in the line that a push touches anyway.
  static constexpr std::size_t kCounters = 32;  // a power of two
  static_assert(kRecordKinds <= kCounters);
  using Counters = std::array<std::atomic<std::uint64_t>, kCounters>;
  static constexpr std::size_t slot(RecordKind kind) noexcept {
    return (static_cast<std::size_t>(kind) - static_cast<std::size_t>(RecordKind::api_call)) %
           kCounters;
  }

  // Written by the producer thread alone. The first line, down to the counter of API calls, is all
  // that a push touches here. data and mask are copies: each side reads its own.
  struct alignas(kSharingBytes) Producer {
    std::atomic<std::uint64_t> write{0};
    std::uint64_t limit = 0;  // records that end at or below it take the fast path
    std::byte* data = nullptr;
    std::uint64_t mask = 0;
    std::uint64_t next = 0;  // end of the reserved record
    Counters written{};
    Counters dropped{};
    std::uint64_t seen_read = 0;  // `read` when room was last found
    std::uint64_t marked = 0;     // drops that a LostRecord stands for
    std::uint64_t marked_api_calls = 0;
    std::uint32_t thread = kNoThread;
  };
  // Written by the consumer thread alone.
  struct alignas(kSharingBytes) Consumer {
    std::atomic<std::uint64_t> read{0};
    const std::byte* data = nullptr;
    std::uint64_t mask = 0;
    std::uint64_t release_bytes = 0;  // room is returned at least this often within a drain
    Counters consumed{};
  };
  struct FreeAligned {
    void operator()(std::byte* p) const noexcept;
  };

  static std::uint64_t load(const Counters& counters, RecordKind kind) noexcept {
    return counters[slot(kind)].load(std::memory_order_relaxed);
  }
  static void count(Counters& counters, RecordKind kind) noexcept {
    auto& c = counters[slot(kind)];
    c.store(c.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static void copy_record(std::byte* to, const void* from, std::size_t size_bytes) noexcept;
  // True when bytes of a header that the consumer found can be a record of ours: guards the
  // consumer against a host program that wrote over the ring.
  static bool plausible(const RecordHeader& h, std::uint64_t available_bytes) noexcept {
    return h.size_bytes >= sizeof(RecordHeader) && h.size_bytes % 8 == 0 &&
           h.size_bytes <= available_bytes && h.kind < RecordKind::count_;
  }

  std::uint64_t place(std::uint64_t at, std::size_t size_bytes) const noexcept;
  void write_filler(std::uint64_t from, std::uint64_t to) noexcept;
  void write_lost(std::uint64_t at) noexcept;
  bool no_room_for(std::size_t size_bytes) const noexcept;
  void drop(RecordKind kind) noexcept;
  std::uint64_t unmarked() const noexcept;
  std::byte* reserve_slow(std::size_t size_bytes, RecordKind kind) noexcept;
  bool push_bytes(const void* record, std::size_t size_bytes, RecordKind kind) noexcept;
  bool push_reserving(const void* record, std::size_t size_bytes, RecordKind kind) noexcept;
  bool push_slow(const void* record, std::size_t size_bytes, RecordKind kind) noexcept;

  std::unique_ptr<std::byte[], FreeAligned> storage_;
  std::size_t capacity_;
  Producer producer_;
  Consumer consumer_;
};

inline void* ByteRing::reserve(std::size_t size_bytes, RecordKind kind) noexcept {
  const std::uint64_t at = producer_.write.load(std::memory_order_relaxed);
  const std::uint64_t next = at + size_bytes;
  if (next > producer_.limit) [[unlikely]] {
    return reserve_slow(size_bytes, kind);
  }
  count(producer_.written, kind);
  producer_.next = next;
  return producer_.data + (at & producer_.mask);
}

inline void ByteRing::commit() noexcept {
  producer_.write.store(producer_.next, std::memory_order_release);
}

// Without a call of memcpy where the size is not known when compiling: sizes are multiples of 8 and
// mostly small. 16-byte pieces from the end down; the first may overlap the second.
[[gnu::always_inline]] inline void ByteRing::copy_record(std::byte* to, const void* from,
                                                         std::size_t size_bytes) noexcept {
  if (__builtin_constant_p(size_bytes)) {
    std::memcpy(to, from, size_bytes);
    return;
  }
  const auto* source = static_cast<const std::byte*>(from);
  auto at = static_cast<std::ptrdiff_t>(size_bytes) - 16;
  if (at < 0) {
    std::memcpy(to, source, 8);
    return;
  }
  do {
    std::memcpy(to + at, source + at, 16);
    at -= 16;
  } while (at > 0);
  std::memcpy(to, source, 16);
}

// Fused reserve and commit: nothing is stored but the record, its counter and `write`.
[[gnu::always_inline]] inline bool ByteRing::push_bytes(const void* record, std::size_t size_bytes,
                                                        RecordKind kind) noexcept {
  const std::uint64_t at = producer_.write.load(std::memory_order_relaxed);
  const std::uint64_t next = at + size_bytes;
  if (next > producer_.limit) [[unlikely]] {
    return push_slow(record, size_bytes, kind);
  }
  count(producer_.written, kind);
  copy_record(producer_.data + (at & producer_.mask), record, size_bytes);
  producer_.write.store(next, std::memory_order_release);
  return true;
}

inline bool ByteRing::push(const RecordHeader& record) noexcept {
  return push_bytes(&record, record.size_bytes, record.kind);
}

template <typename T>
bool ByteRing::push_fixed(const T& record) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0 &&
                sizeof(T) <= kMaxRecordBytes);
  return push_bytes(&record, sizeof(T), T::kKind);
}

inline bool ByteRing::looks_half_full() const noexcept {
  return producer_.write.load(std::memory_order_relaxed) - producer_.seen_read >= capacity_ / 2;
}

inline bool ByteRing::empty() const noexcept {
  return consumer_.read.load(std::memory_order_relaxed) ==
         producer_.write.load(std::memory_order_relaxed);
}

template <typename F>
std::size_t ByteRing::drain(F&& f) {
  const std::uint64_t end = producer_.write.load(std::memory_order_acquire);
  std::uint64_t at = consumer_.read.load(std::memory_order_relaxed);
  if (at == end) return 0;
  std::uint64_t returned = at;
  std::size_t records = 0;
  while (at != end) {
    const auto& header =
        *reinterpret_cast<const RecordHeader*>(consumer_.data + (at & consumer_.mask));
    if (!plausible(header, end - at)) [[unlikely]] {
      at = end;  // what follows cannot be found: it stays offered, but neither consumed nor dropped
      break;
    }
    const RecordKind kind = header.kind;
    at += header.size_bytes;
    if (kind != RecordKind::none) {
      f(header);
      ++records;
      if (kind != RecordKind::lost) count(consumer_.consumed, kind);
    }
    if (at - returned >= consumer_.release_bytes) {
      consumer_.read.store(at, std::memory_order_release);
      returned = at;
    }
  }
  consumer_.read.store(at, std::memory_order_release);
  return records;
}

}  // namespace gapscope
