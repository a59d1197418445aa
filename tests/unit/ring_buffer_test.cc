#include <atomic>
#include <thread>
#include <vector>

#include "catch.h"
#include "ring/buffer_ring.h"

using namespace gapscope;

namespace {

CompletedBuffer numbered(std::size_t n) {
  CompletedBuffer b;
  b.size_bytes = n;
  b.valid_bytes = ~n;
  b.stream = static_cast<std::uint32_t>(n * 7);
  return b;
}

bool is_numbered(const CompletedBuffer& b, std::size_t n) {
  return b.size_bytes == n && b.valid_bytes == ~n &&
         b.stream == static_cast<std::uint32_t>(n * 7) && b.data == nullptr && !b.spare;
}

}  // namespace

TEST_CASE("a buffer ring's capacity is a power of two, at least two") {
  CHECK(BufferRing(0).capacity() == 2);
  CHECK(BufferRing(1).capacity() == 2);
  CHECK(BufferRing(3).capacity() == 4);
  CHECK(BufferRing(64).capacity() == 64);
}

TEST_CASE("a buffer ring is empty, then full, then empty, in order, over many rounds") {
  const std::size_t capacity = GENERATE(2, 4, 32);
  BufferRing ring(capacity);
  CompletedBuffer out;
  std::size_t n = 0;
  for (int round = 0; round < 100; ++round) {
    CHECK_FALSE(ring.pop(&out));
    for (std::size_t i = 0; i < capacity; ++i) REQUIRE(ring.push(numbered(n + i)));
    CHECK_FALSE(ring.push(numbered(0)));
    for (std::size_t i = 0; i < capacity; ++i) {
      REQUIRE(ring.pop(&out));
      REQUIRE(is_numbered(out, n + i));
    }
    n += capacity;
    for (std::size_t i = 0; i < 3; ++i, ++n) {  // shifts where the next round begins
      REQUIRE(ring.push(numbered(n)));
      REQUIRE(ring.pop(&out));
      REQUIRE(is_numbered(out, n));
    }
  }
}

TEST_CASE("all fields of a completed buffer travel") {
  BufferRing ring(2);
  std::uint8_t data[4];
  int context = 0;
  REQUIRE(ring.push({data, 4096, 96, &context, 13, true}));
  CompletedBuffer out;
  REQUIRE(ring.pop(&out));
  CHECK(out.data == data);
  CHECK(out.size_bytes == 4096);
  CHECK(out.valid_bytes == 96);
  CHECK(out.context == &context);
  CHECK(out.stream == 13);
  CHECK(out.spare);
}

TEST_CASE("several producers: every buffer arrives once, each producer's in order") {
  constexpr std::size_t kProducers = 4;
  constexpr std::size_t kEach = 20'000;
  BufferRing ring(16);
  std::atomic<std::uint64_t> refused{0};
  std::vector<std::thread> producers;
  for (std::size_t p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (std::size_t i = 0; i < kEach; ++i) {
        while (!ring.push(numbered(p * kEach + i))) {
          refused.fetch_add(1, std::memory_order_relaxed);
          std::this_thread::yield();
        }
      }
    });
  }
  std::vector<std::size_t> next(kProducers, 0);
  std::size_t wrong = 0, got = 0;
  CompletedBuffer out;
  while (refused.load(std::memory_order_relaxed) == 0) std::this_thread::yield();  // full, once
  while (got < kProducers * kEach) {
    if (!ring.pop(&out)) {
      std::this_thread::yield();
      continue;
    }
    ++got;
    const std::size_t p = out.size_bytes / kEach;
    if (p >= kProducers || !is_numbered(out, p * kEach + next[p])) {
      ++wrong;
    } else {
      ++next[p];
    }
  }
  for (auto& t : producers) t.join();
  CHECK(wrong == 0);
  CHECK_FALSE(ring.pop(&out));
  for (std::size_t p = 0; p < kProducers; ++p) CHECK(next[p] == kEach);
}
