#include "ring/byte_ring.h"

#include <algorithm>
#include <bit>
#include <new>

namespace gapscope {
namespace {

constexpr std::align_val_t kAlignment{kSharingBytes};
// A long batch returns its room early, so that a producer near the end of its ring loses less.
constexpr std::uint64_t kReleaseBytes = 16 * 1024;

std::size_t usable_capacity(std::size_t wanted_bytes) {
  return std::bit_ceil(std::max(wanted_bytes, 4 * kMaxRecordBytes));
}

}  // namespace

void ByteRing::FreeAligned::operator()(std::byte* p) const noexcept {
  ::operator delete(p, kAlignment);
}

ByteRing::ByteRing(std::size_t capacity_bytes)
    : storage_(
          static_cast<std::byte*>(::operator new(usable_capacity(capacity_bytes), kAlignment))),
      capacity_(usable_capacity(capacity_bytes)) {
  producer_.data = storage_.get();
  producer_.mask = capacity_ - 1;
  consumer_.data = storage_.get();
  consumer_.mask = capacity_ - 1;
  consumer_.release_bytes = std::min<std::uint64_t>(kReleaseBytes, capacity_ / 8);
}

ByteRing::~ByteRing() = default;

// Where a contiguous record can begin at or after `at`.
std::uint64_t ByteRing::place(std::uint64_t at, std::size_t size_bytes) const noexcept {
  const std::uint64_t offset = at & producer_.mask;
  return offset + size_bytes <= capacity_ ? at : at - offset + capacity_;
}

// Always below 64 KiB: a filler is shorter than the record that did not fit in its place.
void ByteRing::write_filler(std::uint64_t from, std::uint64_t to) noexcept {
  if (from == to) return;
  const RecordHeader filler{static_cast<std::uint16_t>(to - from), RecordKind::none, 0, kNoThread};
  std::memcpy(producer_.data + (from & producer_.mask), &filler, sizeof filler);
}

// How many drops no LostRecord stands for yet.
std::uint64_t ByteRing::unmarked() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& c : producer_.dropped) sum += c.load(std::memory_order_relaxed);
  return sum - producer_.marked;
}

void ByteRing::write_lost(std::uint64_t at) noexcept {
  LostRecord lost = make_record<LostRecord>(producer_.thread);
  lost.count = unmarked();
  lost.api_calls = load(producer_.dropped, RecordKind::api_call) - producer_.marked_api_calls;
  std::memcpy(producer_.data + (at & producer_.mask), &lost, sizeof lost);
  producer_.marked += lost.count;
  producer_.marked_api_calls += lost.api_calls;
}

// The usual way of a full ring, kept short. A limit of 0 says that a LostRecord must come first (or
// that nothing was ever written, when there is room for anything).
inline bool ByteRing::no_room_for(std::size_t size_bytes) const noexcept {
  const std::size_t lost_bytes = producer_.limit == 0 ? sizeof(LostRecord) : 0;
  return producer_.write.load(std::memory_order_relaxed) + lost_bytes + size_bytes >
         consumer_.read.load(std::memory_order_acquire) + capacity_;
}

inline void ByteRing::drop(RecordKind kind) noexcept {
  count(producer_.dropped, kind);
  producer_.limit = 0;
}

// Fillers and the LostRecord are published here, before the record itself, so that a reserved
// record always begins at `write`.
std::byte* ByteRing::reserve_slow(std::size_t size_bytes, RecordKind kind) noexcept {
  Producer& p = producer_;
  if (no_room_for(size_bytes)) {
    drop(kind);
    return nullptr;
  }
  const std::uint64_t read = consumer_.read.load(std::memory_order_acquire);
  const std::uint64_t room_end = read + capacity_;
  const std::uint64_t begin = p.write.load(std::memory_order_relaxed);
  const bool loss = p.limit == 0 && unmarked() != 0;
  const std::size_t lost_bytes = loss ? sizeof(LostRecord) : 0;
  const std::uint64_t lost_at = loss ? place(begin, lost_bytes) : begin;
  const std::uint64_t at = place(lost_at + lost_bytes, size_bytes);
  if (at + size_bytes > room_end) {  // with the fillers it is too long
    drop(kind);
    return nullptr;
  }
  if (loss) {
    write_filler(begin, lost_at);
    write_lost(lost_at);
  }
  write_filler(lost_at + lost_bytes, at);
  p.write.store(at, std::memory_order_release);
  count(p.written, kind);
  p.seen_read = read;
  p.next = at + size_bytes;
  const std::uint64_t buffer_end = (at & ~p.mask) + capacity_;
  p.limit = std::min({room_end, buffer_end, p.next + capacity_ / 4});
  return p.data + (at & p.mask);
}

// Drops at once or leaves: a leaf, since a full ring comes here for every record.
bool ByteRing::push_slow(const void* record, std::size_t size_bytes, RecordKind kind) noexcept {
  if (no_room_for(size_bytes)) {
    drop(kind);
    return false;
  }
  return push_reserving(record, size_bytes, kind);
}

[[gnu::noinline]] bool ByteRing::push_reserving(const void* record, std::size_t size_bytes,
                                                RecordKind kind) noexcept {
  std::byte* const to = reserve_slow(size_bytes, kind);
  if (to == nullptr) return false;
  std::memcpy(to, record, size_bytes);
  commit();
  return true;
}

bool ByteRing::flush_loss() noexcept {
  Producer& p = producer_;
  if (unmarked() == 0) return false;
  const std::uint64_t room_end = consumer_.read.load(std::memory_order_acquire) + capacity_;
  const std::uint64_t begin = p.write.load(std::memory_order_relaxed);
  const std::uint64_t at = place(begin, sizeof(LostRecord));
  const std::uint64_t end = at + sizeof(LostRecord);
  if (end > room_end) return false;
  write_filler(begin, at);
  write_lost(at);
  p.write.store(end, std::memory_order_release);
  p.limit = end;  // not 0: nothing is left to be marked
  return true;
}

}  // namespace gapscope
