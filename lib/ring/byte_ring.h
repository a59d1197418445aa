// A lock-free single-producer single-consumer ring of variable-sized records.
//
// The producer reserves room, writes the record in place and commits with one release store; it
// never waits: when the ring is full the record is dropped and counted, and the next record that
// fits is preceded by a LostRecord. Records are contiguous in memory; where one would wrap, the rest of the
// ring is skipped by a filler. Each side keeps a cached copy of the other's index and reads the
// shared one only when the cached one does not suffice.
//
// offered(k) == consumed(k) + dropped(k) for every RecordKind k once both sides are quiet
// (LostRecords, which the ring itself adds, are counted in none of the three).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "record/record.h"

namespace gapscope {

class ByteRing {
 public:
  // capacity_bytes: a power of two, at least 4 * kMaxRecordBytes. Allocates; throws std::bad_alloc.
  explicit ByteRing(std::size_t capacity_bytes);
  ~ByteRing();
  ByteRing(const ByteRing&) = delete;
  ByteRing& operator=(const ByteRing&) = delete;

  // --- producer thread only ---
  // Room for a record of size_bytes (multiple of 8, <= kMaxRecordBytes), or nullptr when full (the
  // record then counts as dropped). A reserved record must be committed before the next reserve.
  void* reserve(std::size_t size_bytes, RecordKind kind) noexcept;
  void commit() noexcept;
  // Copies a whole record in; false when dropped.
  bool push(const RecordHeader& record) noexcept;
  // True when at least half full, as far as the producer knows without touching shared lines.
  bool looks_half_full() const noexcept;

  // --- consumer thread only ---
  // Calls f(const RecordHeader&) for each committed record that was there at the call's begin;
  // returns how many.
  template <typename F>
  std::size_t drain(F&& f);

  // --- any thread; exact once both sides are quiet ---
  std::uint64_t offered(RecordKind kind) const noexcept;
  std::uint64_t consumed(RecordKind kind) const noexcept;
  std::uint64_t dropped(RecordKind kind) const noexcept;
  bool empty() const noexcept;
  std::size_t capacity_bytes() const noexcept;
};

}  // namespace gapscope
