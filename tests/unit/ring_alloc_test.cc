// No allocation after a thread's first call, and none that fails may throw. Replaces the global
// operator new of this test binary to watch it.
#include <cstdlib>
#include <new>
#include <thread>

#include "catch.h"
#include "ring/ring_set.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

namespace {

thread_local std::size_t allocations = 0;
thread_local bool refuse = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* p = refuse ? nullptr : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  try {
    return operator new(n);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("only a thread's first call allocates, records fit or not") {
  RingSet set(kSmallRing, 1);
  const std::size_t at_start = allocations;
  ThreadRing* mine = set.local();
  REQUIRE(mine != nullptr);
  CHECK(allocations > at_start);

  const Blob blob(1, 256, RecordKind::api_call);
  const std::size_t before = allocations;
  std::size_t dropped = 0;
  for (int i = 0; i < 1000; ++i) dropped += !set.local()->ring.push(blob.header());
  CHECK(allocations == before);
  CHECK(dropped == 1000 - kSmallRing / 256);
}

TEST_CASE("a ring that cannot be allocated is no ring: nothing is thrown, nothing retried") {
  RingSet set(kSmallRing, 4);
  refuse = true;
  const bool none = set.local() == nullptr;
  const std::size_t before = allocations;
  const bool still_none = set.local() == nullptr;
  const bool retried = allocations != before;
  refuse = false;
  CHECK(none);
  CHECK(still_none);
  CHECK_FALSE(retried);
  CHECK(set.rings() == 0);
  std::size_t others = 0;
  std::thread([&] { others += set.local() != nullptr; }).join();
  CHECK(others == 1);
}
