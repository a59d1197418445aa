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

void ByteRing::write_lost(std::uint64_t at) noexcept {
  LostRecord lost = make_record<LostRecord>(producer_.thread);
  lost.count = producer_.lost;
  lost.api_calls = producer_.lost_api_calls;
  std::memcpy(producer_.data + (at & producer_.mask), &lost, sizeof lost);
  producer_.lost = 0;
  producer_.lost_api_calls = 0;
}

// Fillers and the LostRecord are published here, before the record itself, so that a reserved
// record always begins at `write`.
std::byte* ByteRing::reserve_slow(std::size_t size_bytes, RecordKind kind) noexcept {
  Producer& p = producer_;
  p.seen_read = consumer_.read.load(std::memory_order_acquire);
  const std::uint64_t room_end = p.seen_read + capacity_;
  const std::uint64_t begin = p.write.load(std::memory_order_relaxed);

  const std::size_t lost_bytes = p.lost != 0 ? sizeof(LostRecord) : 0;
  const std::uint64_t lost_at = lost_bytes != 0 ? place(begin, lost_bytes) : begin;
  const std::uint64_t at = place(lost_at + lost_bytes, size_bytes);
  if (at + size_bytes > room_end) {
    count(p.dropped, kind);
    ++p.lost;
    if (kind == RecordKind::api_call) ++p.lost_api_calls;
    p.limit = 0;
    return nullptr;
  }
  if (lost_bytes != 0) {
    write_filler(begin, lost_at);
    write_lost(lost_at);
  }
  write_filler(lost_at + lost_bytes, at);
  p.write.store(at, std::memory_order_release);
  p.next = at + size_bytes;
  const std::uint64_t buffer_end = (at & ~p.mask) + capacity_;
  p.limit = std::min({room_end, buffer_end, p.next + capacity_ / 4});
  return p.data + (at & p.mask);
}

bool ByteRing::push_slow(const void* record, std::size_t size_bytes, RecordKind kind) noexcept {
  std::byte* const to = reserve_slow(size_bytes, kind);
  if (to == nullptr) return false;
  std::memcpy(to, record, size_bytes);
  commit();
  return true;
}

bool ByteRing::flush_loss() noexcept {
  Producer& p = producer_;
  if (p.lost == 0) return false;
  p.seen_read = consumer_.read.load(std::memory_order_acquire);
  const std::uint64_t begin = p.write.load(std::memory_order_relaxed);
  const std::uint64_t at = place(begin, sizeof(LostRecord));
  if (at + sizeof(LostRecord) > p.seen_read + capacity_) return false;
  write_filler(begin, at);
  write_lost(at);
  p.write.store(at + sizeof(LostRecord), std::memory_order_release);
  return true;  // limit is still 0: the next record takes the slow path, which sets it anew
}

}  // namespace gapscope
