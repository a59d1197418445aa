// Every boundary of the byte ring, on one thread: empty, full, wrap, smallest and largest record.
#include <cstddef>
#include <cstring>

#include "catch.h"
#include "ring/byte_ring.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

TEST_CASE("a new ring is empty and its capacity is a power of two that holds four records") {
  CHECK(ByteRing(0).capacity_bytes() == 4 * kMaxRecordBytes);
  CHECK(ByteRing(kSmallRing).capacity_bytes() == kSmallRing);
  CHECK(ByteRing(kSmallRing + 1).capacity_bytes() == 2 * kSmallRing);
  ByteRing ring(kSmallRing);
  CHECK(ring.empty());
  CHECK_FALSE(ring.looks_half_full());
  CHECK(drain(ring).empty());
  CHECK(total(ring, &ByteRing::offered) == 0);
}

TEST_CASE("a record of every size arrives whole") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t size = 8; size <= kMaxRecordBytes; size += 8) {
    REQUIRE(push(ring, size, size));
    REQUIRE_FALSE(ring.empty());
    const auto seen = drain(ring);
    REQUIRE(seen.size() == 1);
    REQUIRE(seen[0].seq == size);
    REQUIRE(seen[0].size_bytes == size);
    REQUIRE(seen[0].intact);
    REQUIRE(ring.empty());
  }
  CHECK(ring.offered(RecordKind::api_call) == kMaxRecordBytes / 8);
  CHECK(ring.consumed(RecordKind::api_call) == kMaxRecordBytes / 8);
}

TEST_CASE("no record reaches beyond the buffer, wherever it would begin") {
  for (std::size_t size = 16; size <= kMaxRecordBytes; size *= 2) {
    for (std::size_t short_by = 8; short_by <= 64; short_by += 8) {
      ByteRing ring(kSmallRing);
      const auto* begin = static_cast<const std::byte*>(ring.reserve(8, RecordKind::api_call));
      const RecordHeader smallest{8, RecordKind::api_call, 0, 0};
      std::memcpy(const_cast<std::byte*>(begin), &smallest, sizeof smallest);
      ring.commit();
      // What is left at the end is too little by that much.
      if (short_by >= size) continue;
      advance(ring, kSmallRing - 8 - (size - short_by));
      drain(ring);
      const auto* place = static_cast<const std::byte*>(ring.reserve(size, RecordKind::api_call));
      REQUIRE(place != nullptr);
      REQUIRE(place >= begin);
      REQUIRE(place + size <= begin + ring.capacity_bytes());
    }
  }
}

TEST_CASE("records stay whole, contiguous and in order wherever the ring wraps") {
  for (std::size_t offset = 0; offset < kSmallRing; offset += 8) {
    ByteRing ring(kSmallRing);
    advance(ring, offset);
    for (const std::size_t size :
         {std::size_t{8}, std::size_t{24}, std::size_t{96}, kMaxRecordBytes, std::size_t{56}}) {
      REQUIRE(push(ring, static_cast<std::uint32_t>(size), size));
    }
    const auto seen = drain(ring);
    REQUIRE(seen.size() == 5);
    for (const Seen& s : seen) REQUIRE(s.intact);
    REQUIRE(seen[3].size_bytes == kMaxRecordBytes);
    REQUIRE(seen[4].seq == 56);
    REQUIRE(total(ring, &ByteRing::dropped) == 0);
  }
}

TEST_CASE("a ring filled to its last byte, from every offset, takes nothing more") {
  for (std::size_t offset = 0; offset < kSmallRing; offset += 264) {
    ByteRing ring(kSmallRing);
    advance(ring, offset);
    std::uint32_t n = 0;
    while (push(ring, n, 8)) ++n;
    REQUIRE(n == kSmallRing / 8);
    REQUIRE_FALSE(push(ring, n, 8));
    const auto seen = drain(ring);
    REQUIRE(seen.size() == n);
    for (std::uint32_t i = 0; i < n; ++i) REQUIRE((seen[i].seq == i && seen[i].intact));
    REQUIRE(ring.dropped(RecordKind::api_call) == 2);
  }
}

TEST_CASE("four of the largest records fill the smallest ring") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t i = 0; i < 4; ++i) REQUIRE(push(ring, i, kMaxRecordBytes));
  CHECK_FALSE(push(ring, 4, 8));
  CHECK(drain(ring).size() == 4);
}

TEST_CASE("the last eight bytes take a record of eight, not one of sixteen") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t i = 0; i < 3; ++i) REQUIRE(push(ring, i, kMaxRecordBytes));
  REQUIRE(push(ring, 3, kMaxRecordBytes - 8));
  SECTION("eight fits") { CHECK(push(ring, 4, 8)); }
  SECTION("sixteen does not") {
    CHECK_FALSE(push(ring, 4, 16));
    CHECK_FALSE(push(ring, 5, 8));  // now the LostRecord would need room too
  }
}

TEST_CASE("the largest record always fits an empty ring, with a filler and a LostRecord too") {
  for (std::size_t offset = 0; offset < kSmallRing; offset += 8) {
    ByteRing ring(kSmallRing);
    advance(ring, offset);
    while (push(ring, 1, 128)) {
    }
    drain(ring);
    REQUIRE(push(ring, 2, kMaxRecordBytes));
  }
}

TEST_CASE("a record can be written in place and is seen only after its commit") {
  ByteRing ring(kSmallRing);
  void* room = ring.reserve(sizeof(ApiCallRecord), RecordKind::api_call);
  REQUIRE(room != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(room) % 8 == 0);
  auto* call = static_cast<ApiCallRecord*>(room);
  *call = make_record<ApiCallRecord>(9);
  call->correlation_id = 77;
  CHECK(ring.drain([](const RecordHeader&) {}) == 0);
  ring.commit();
  std::uint32_t correlation = 0;
  CHECK(ring.drain([&](const RecordHeader& h) {
    correlation = record_cast<ApiCallRecord>(h).correlation_id;
  }) == 1);
  CHECK(correlation == 77);
}

TEST_CASE("a fixed-size push stores the same bytes as a push by header") {
  ByteRing ring(kSmallRing);
  auto lhs = make_record<MarkRecord>(3);
  lhs.time_ns = 0x1122334455667788;
  lhs.range_id = 42;
  REQUIRE(ring.push_fixed(lhs));
  REQUIRE(ring.push(lhs.header));
  int equal = 0;
  ring.drain([&](const RecordHeader& h) { equal += std::memcmp(&h, &lhs, sizeof lhs) == 0; });
  CHECK(equal == 2);
}

TEST_CASE("a drain hands out what was there when it began") {
  ByteRing ring(kSmallRing);
  push(ring, 1, 32);
  push(ring, 2, 32);
  std::size_t pushed = 0;
  CHECK(ring.drain([&](const RecordHeader&) { pushed += push(ring, 3, 32); }) == 2);
  CHECK(pushed == 2);
  CHECK(drain(ring).size() == 2);
}

TEST_CASE("room is returned in the middle of a long drain") {
  ByteRing ring(kSmallRing);
  while (push(ring, 1, 64)) {
  }
  std::size_t taken = 0;
  ring.drain([&](const RecordHeader&) { taken += push(ring, 2, 64); });
  CHECK(taken > kSmallRing / 64 / 2);  // most of the ring, not just its last part
}

TEST_CASE("half full is seen by the producer, and goes away with the consumer's progress") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t i = 0; i < kSmallRing / 64 / 2 - 1; ++i) push(ring, i, 64);
  CHECK_FALSE(ring.looks_half_full());
  push(ring, 0, 64);
  CHECK(ring.looks_half_full());
  drain(ring);
  for (std::uint32_t i = 0; i < 4 * kSmallRing / 64; ++i) {
    push(ring, i, 64);
    if (i > kSmallRing / 64 / 4) REQUIRE_FALSE(ring.looks_half_full());
    drain(ring);
  }
}

TEST_CASE("a header that was overwritten stops the drain, shows in the counts, and heals") {
  ByteRing ring(kSmallRing);
  push(ring, 1, 32);
  auto* bad = static_cast<std::byte*>(ring.reserve(32, RecordKind::mark));
  const RecordHeader broken = GENERATE(
      RecordHeader{0, RecordKind::mark, 0, 0}, RecordHeader{12, RecordKind::mark, 0, 0},
      RecordHeader{65528, RecordKind::mark, 0, 0}, RecordHeader{32, RecordKind::count_, 0, 0});
  std::memcpy(bad, &broken, sizeof broken);
  ring.commit();
  push(ring, 3, 32);
  CHECK(drain(ring).size() == 1);
  CHECK(ring.empty());
  CHECK(total(ring, &ByteRing::offered) ==
        total(ring, &ByteRing::consumed) + total(ring, &ByteRing::dropped) + 2);
  REQUIRE(push(ring, 4, 32));
  const auto seen = drain(ring);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].seq == 4);
}
