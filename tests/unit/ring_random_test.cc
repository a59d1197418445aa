// Invariant 1 with two threads: whatever the timing, every record that was offered is consumed
// whole and in order, or counted as dropped at its place.
#include <atomic>
#include <random>
#include <thread>

#include "catch.h"
#include "ring/byte_ring.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

namespace {

constexpr RecordKind kKinds[] = {RecordKind::api_call, RecordKind::mark, RecordKind::text_mark,
                                 RecordKind::gc, RecordKind::thread_sample};

RecordKind kind_of(std::uint64_t seed, std::uint32_t seq) {
  return kKinds[mix(seed ^ (std::uint64_t{seq} << 20)) % std::size(kKinds)];
}

// Mostly small, sometimes the largest.
std::size_t size_of(std::uint64_t seed, std::uint32_t seq) {
  const std::uint64_t r = mix(seed * 31 + seq);
  const std::size_t limit = r % 16 == 0 ? kMaxRecordBytes : 160;
  return 8 + (r >> 8) % (limit / 8) * 8;
}

struct Producer {
  ByteRing& ring;
  std::uint64_t seed;
  std::uint32_t records;
  std::atomic<bool>& done;

  void operator()() {
    std::mt19937_64 random(seed);
    for (std::uint32_t seq = 0; seq < records; ++seq) {
      const Blob blob(seq, size_of(seed, seq), kind_of(seed, seq));
      if (random() % 2 == 0) {
        ring.push(blob.header());
      } else if (void* room = ring.reserve(blob.header().size_bytes, blob.header().kind)) {
        std::memcpy(room, blob.bytes.data(), blob.header().size_bytes);
        ring.commit();
      }
      if (random() % 512 == 0) std::this_thread::yield();
    }
    done.store(true, std::memory_order_release);
  }
};

// Follows the stream and counts whatever is not as it must be.
struct Checker {
  std::uint64_t seed;
  std::uint32_t next = 0;  // sequence number that must come
  std::uint64_t marked = 0, consumed = 0, wrong = 0;
  bool lost_last = false;

  void operator()(const RecordHeader& h) {
    if (h.kind == RecordKind::lost) {
      const auto lost = record_cast<LostRecord>(h);
      std::uint64_t api_calls = 0;
      for (std::uint64_t i = 0; i < lost.count; ++i) {
        api_calls += kind_of(seed, next++) == RecordKind::api_call;
      }
      wrong += api_calls != lost.api_calls || lost.count == 0 || lost_last;
      marked += lost.count;
      lost_last = true;
      return;
    }
    wrong += h.thread != next || h.kind != kind_of(seed, next) ||
             h.size_bytes != size_of(seed, next) || !intact(h);
    ++next;
    ++consumed;
    lost_last = false;
  }
};

struct Outcome {
  std::uint64_t consumed = 0, dropped = 0;
};

Outcome run(std::uint64_t seed, std::size_t ring_bytes, std::uint32_t records) {
  ByteRing ring(ring_bytes);
  std::atomic<bool> done{false};
  std::thread producer(Producer{ring, seed, records, done});
  Checker check{seed};
  std::mt19937_64 random(~seed);
  while (!done.load(std::memory_order_acquire)) {
    ring.drain(check);
    if (random() % 64 == 0) {  // fall behind until something is lost
      const std::uint64_t before = total(ring, &ByteRing::dropped);
      while (!done.load(std::memory_order_acquire) && total(ring, &ByteRing::dropped) == before) {
        std::this_thread::yield();
      }
    }
  }
  producer.join();
  ring.drain(check);

  CHECK(check.wrong == 0);
  CHECK(ring.empty());
  for (std::size_t k = 0; k < kRecordKinds; ++k) {
    const auto kind = static_cast<RecordKind>(k);
    std::uint64_t made = 0;
    for (std::uint32_t seq = 0; seq < records; ++seq) made += kind_of(seed, seq) == kind;
    CHECK(ring.offered(kind) == made);
    CHECK(ring.offered(kind) == ring.consumed(kind) + ring.dropped(kind));
  }
  const std::uint64_t dropped = total(ring, &ByteRing::dropped);
  CHECK(check.consumed == total(ring, &ByteRing::consumed));
  const std::uint64_t trailing = records - check.next;  // lost at the end: nothing followed them
  CHECK(check.marked + trailing == dropped);
  CHECK(ring.flush_loss() == (trailing != 0));
  ring.drain(check);
  CHECK(check.marked == dropped);
  CHECK(check.next == records);
  CHECK(check.wrong == 0);
  return {check.consumed, dropped};
}

}  // namespace

TEST_CASE("offered = consumed + dropped, whole and in order, with two threads and any timing") {
  Outcome all;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const Outcome one = run(seed, kSmallRing << (seed % 3), 20'000);
    all.consumed += one.consumed;
    all.dropped += one.dropped;
  }
  CHECK(all.consumed > 0);
  CHECK(all.dropped > 0);
}

TEST_CASE("nothing is dropped while the ring has room for all") {
  const Outcome one = run(99, 16u << 20, 30'000);
  CHECK(one.dropped == 0);
  CHECK(one.consumed == 30'000);
}
