// What a full ring does: it drops the newest, counts by kind, and marks the place.
#include <cstring>
#include <limits>

#include "catch.h"
#include "ring/byte_ring.h"
#include "ring/ring_set.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

namespace {

std::uint32_t fill(ByteRing& ring, std::size_t size_bytes) {
  std::uint32_t n = 0;
  while (push(ring, n, size_bytes, RecordKind::mark)) ++n;
  return n;  // one more was dropped
}

}  // namespace

TEST_CASE("a LostRecord stands exactly where records were dropped, and says how many") {
  ByteRing ring(kSmallRing);
  ring.set_thread(12);
  const std::uint32_t before = fill(ring, 64);
  push(ring, 0, 64, RecordKind::api_call);
  push(ring, 0, 64, RecordKind::api_call);
  push(ring, 0, 64, RecordKind::text_mark);
  REQUIRE(drain(ring).size() == before);
  REQUIRE(push(ring, 1000, 64, RecordKind::api_call));
  REQUIRE(push(ring, 1001, 64, RecordKind::api_call));

  const auto seen = drain(ring);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].kind == RecordKind::lost);
  CHECK(seen[0].seq == 12);  // the header's thread
  CHECK(seen[0].lost == 4);
  CHECK(seen[0].lost_api == 2);
  CHECK(seen[1].seq == 1000);
  CHECK(seen[2].seq == 1001);

  CHECK(ring.dropped(RecordKind::mark) == 1);
  CHECK(ring.dropped(RecordKind::api_call) == 2);
  CHECK(ring.dropped(RecordKind::text_mark) == 1);
  CHECK(ring.offered(RecordKind::api_call) == 4);
  CHECK(ring.consumed(RecordKind::api_call) == 2);
  CHECK(ring.offered(RecordKind::mark) == before + 1);
  CHECK(ring.consumed(RecordKind::mark) == before);
}

TEST_CASE("LostRecords count in none of offered, consumed and dropped") {
  ByteRing ring(kSmallRing);
  fill(ring, 64);
  drain(ring);
  push(ring, 1, 64);
  drain(ring);
  CHECK(ring.offered(RecordKind::lost) == 0);
  CHECK(ring.consumed(RecordKind::lost) == 0);
  CHECK(ring.dropped(RecordKind::lost) == 0);
  CHECK(ring.consumed(RecordKind::none) == 0);
}

TEST_CASE("loss is marked rightly wherever the ring wraps") {
  for (std::size_t offset = 0; offset < kSmallRing; offset += 8) {
    for (const std::size_t size : {std::size_t{8}, std::size_t{64}, kMaxRecordBytes}) {
      ByteRing ring(kSmallRing);
      advance(ring, offset);
      fill(ring, 4096);
      while (push(ring, 1, 8)) {  // also what the large records left
      }
      const std::uint64_t lost = total(ring, &ByteRing::dropped);
      std::uint64_t marked = 0;
      for (const Seen& s : drain(ring)) marked += s.lost;
      REQUIRE(marked < lost);
      REQUIRE(push(ring, 5, size));
      REQUIRE(push(ring, 6, 48));
      const auto seen = drain(ring);
      for (const Seen& s : seen) marked += s.lost;
      REQUIRE(marked == lost);
      REQUIRE(seen.size() >= 2);
      REQUIRE(seen[seen.size() - 2].seq == 5);
      REQUIRE(seen.back().seq == 6);
      for (const Seen& s : seen) REQUIRE(s.intact);
      REQUIRE(total(ring, &ByteRing::offered) ==
              total(ring, &ByteRing::consumed) + total(ring, &ByteRing::dropped));
    }
  }
}

TEST_CASE("a small record after a large dropped one is preceded by the loss") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t i = 0; i < 3; ++i) push(ring, i, kMaxRecordBytes);
  push(ring, 3, kMaxRecordBytes - 1024);
  REQUIRE_FALSE(push(ring, 4, 2048));
  REQUIRE(push(ring, 5, 16));
  const auto seen = drain(ring);
  REQUIRE(seen.size() == 6);
  CHECK(seen[4].kind == RecordKind::lost);
  CHECK(seen[4].lost == 1);
  CHECK(seen[5].seq == 5);
}

TEST_CASE("a record that fits only without its LostRecord is dropped and counted with the rest") {
  ByteRing ring(kSmallRing);
  for (std::uint32_t i = 0; i < 3; ++i) push(ring, i, kMaxRecordBytes);
  push(ring, 3, kMaxRecordBytes - 32);
  REQUIRE_FALSE(push(ring, 4, 64));
  REQUIRE_FALSE(push(ring, 5, 16));  // 24 + 16 > 32
  REQUIRE(push(ring, 6, 8));         // 24 + 8 == 32
  const auto seen = drain(ring);
  REQUIRE(seen.size() == 6);
  CHECK(seen[4].lost == 2);
  CHECK(seen[5].seq == 6);
}

TEST_CASE("a loss that nothing followed can be flushed once, when there is room") {
  ByteRing ring(kSmallRing);
  CHECK_FALSE(ring.flush_loss());
  const std::uint32_t n = fill(ring, 8);
  CHECK_FALSE(ring.flush_loss());  // no room yet
  CHECK(drain(ring).size() == n);
  REQUIRE(ring.flush_loss());
  CHECK_FALSE(ring.flush_loss());
  REQUIRE(push(ring, 7, 40));
  const auto seen = drain(ring);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].lost == 1);
  CHECK(seen[1].seq == 7);
}

TEST_CASE("a flushed loss is found wherever the ring wraps") {
  for (std::size_t offset = 0; offset < kSmallRing; offset += 8) {
    ByteRing ring(kSmallRing);
    advance(ring, offset);
    fill(ring, 256);
    drain(ring);
    REQUIRE(ring.flush_loss());
    const auto seen = drain(ring);
    REQUIRE(seen.size() == 1);
    REQUIRE((seen[0].intact && seen[0].lost == 1 && seen[0].lost_api == 0));
    REQUIRE(ring.empty());
  }
}

TEST_CASE("what a write over the ring made unfindable is told once the ring is quiet") {
  RingSet set(kSmallRing, 2);
  ThreadRing& mine = *set.local();
  const auto drain_all = [&set] {
    std::size_t records = 0;
    set.for_each([&](ThreadRing& t) { records += t.ring.drain([](const RecordHeader&) {}); });
    return records;
  };
  REQUIRE(push(mine.ring, 1, 64));
  CHECK(drain_all() == 1);
  CHECK(set.unfindable() == 0);
  REQUIRE(push(mine.ring, 2, 64));
  auto* place = mine.ring.reserve(64, RecordKind::mark);
  REQUIRE(place != nullptr);
  std::memset(place, 0xff, 64);  // as a stray write would leave it
  mine.ring.commit();
  REQUIRE(push(mine.ring, 3, 64));
  CHECK(set.unfindable() == 0);  // nobody has looked yet
  CHECK(drain_all() == 1);
  mine.in_call_since_ns = 5;
  CHECK(set.unfindable() == 0);  // more may come
  mine.in_call_since_ns = 0;
  CHECK(set.unfindable() == 2);
  REQUIRE(push(mine.ring, 4, 64));
  CHECK(drain_all() == 1);  // it goes on behind the damage
  CHECK(set.unfindable() == 2);
}
