// The set of rings: who gets which, what happens at a thread's end and at the cap.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <set>
#include <thread>

#include "catch.h"
#include "ring/ring_set.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

namespace {

constexpr auto kApi = static_cast<std::size_t>(RecordKind::api_call);

constexpr auto kNone = std::numeric_limits<std::uint64_t>::max();

std::size_t drain_all(RingSet& set) {
  std::size_t n = 0;
  set.for_each([&](ThreadRing& t) { n += t.ring.drain([](const RecordHeader&) {}); });
  return n;
}

template <typename F>
void on_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

}  // namespace

TEST_CASE("a thread keeps its ring; another thread has another") {
  RingSet set(kSmallRing, 8);
  CHECK(set.rings() == 0);
  ThreadRing* mine = set.local();
  REQUIRE(mine != nullptr);
  CHECK(set.local() == mine);
  CHECK(mine->thread_index == 0);
  CHECK(mine->os_thread_id == static_cast<std::uint32_t>(getpid()));  // this is the main thread
  ThreadRing* other = nullptr;
  std::uint32_t index = 0;
  on_thread([&] {
    other = set.local();
    index = other->thread_index;
  });
  CHECK(other != mine);
  CHECK(index == 1);
  CHECK(set.rings() == 2);
  CHECK(set.memory_bytes() >= 2 * kSmallRing);
}

TEST_CASE("sets that follow one another, or alternate, never mix up their rings") {
  auto first = std::make_unique<RingSet>(kSmallRing, 4);
  REQUIRE(push(first->local()->ring, 1, 32));
  CHECK(drain_all(*first) == 1);
  first.reset();

  RingSet second(kSmallRing, 4), third(kSmallRing, 4);
  ThreadRing* in_second = second.local();
  ThreadRing* in_third = third.local();
  REQUIRE(in_second != nullptr);
  REQUIRE(in_third != nullptr);
  CHECK(in_second != in_third);
  CHECK(second.local() == in_second);
  CHECK(third.local() == in_third);
  CHECK(second.rings() == 1);
  CHECK(third.rings() == 1);
  CHECK(second.totals().offered[kApi] == 0);
}

TEST_CASE("an ended thread's ring is recycled only once drained, with a new thread index") {
  RingSet set(kSmallRing, 8);
  ThreadRing* first = nullptr;
  on_thread([&] {
    first = set.local();
    push(first->ring, 1, 32);
  });
  on_thread([&] { CHECK(set.local() != first); });  // not drained yet
  CHECK(set.rings() == 2);

  set.for_each([](ThreadRing&) {});  // visited, but the record was left there
  on_thread([&] { CHECK(set.local() != first); });

  CHECK(drain_all(set) == 1);
  on_thread([&] {
    ThreadRing* again = set.local();
    CHECK(again == first);
    CHECK(again->thread_index == 3);
  });
  CHECK(set.rings() == 2);
}

TEST_CASE("a live thread's ring is never handed on, drained or not") {
  RingSet set(kSmallRing, 8);
  ThreadRing* mine = set.local();
  drain_all(set);
  drain_all(set);
  on_thread([&] { CHECK(set.local() != mine); });
  CHECK(set.local() == mine);
}

TEST_CASE("counters stay exact over recycled rings") {
  RingSet set(kSmallRing, 1);
  std::size_t consumed = 0;
  for (int i = 0; i < 50; ++i) {
    on_thread([&] {
      ThreadRing* t = set.local();
      REQUIRE(t != nullptr);
      for (std::uint32_t n = 0; n < 100; ++n) push(t->ring, n, 256);  // 64 of them fit
    });
    set.for_each([&](ThreadRing& t) {
      for (const Seen& s : drain(t.ring)) consumed += s.kind == RecordKind::api_call;
    });
  }
  const auto totals = set.totals();
  CHECK(set.rings() == 1);
  CHECK(totals.offered[kApi] == 5000);
  CHECK(totals.consumed[kApi] == consumed);
  CHECK(totals.dropped[kApi] == 5000 - consumed);
  CHECK(totals.dropped[kApi] >= 50 * 36);
}

TEST_CASE("a loss at a thread's very end is marked before its ring is handed on") {
  RingSet set(kSmallRing, 1);
  on_thread([&] {
    ThreadRing* t = set.local();
    for (std::uint32_t n = 0; n < 70; ++n) push(t->ring, n, 256);
  });
  std::vector<Seen> seen;
  set.for_each([&](ThreadRing& t) {
    for (const Seen& s : drain(t.ring)) seen.push_back(s);
  });
  REQUIRE(seen.size() == 65);
  CHECK(seen.back().kind == RecordKind::lost);
  CHECK(seen.back().lost == 6);
  CHECK(seen.back().lost_api == 6);
  CHECK(seen.back().seq == 0);  // the ended thread's index
  on_thread([&] {
    REQUIRE(set.local() != nullptr);
    push(set.local()->ring, 1, 32);
  });
  CHECK(drain_all(set) == 1);  // the next thread does not inherit it
}

TEST_CASE("beyond the cap records are counted as dropped, and a later ring serves the thread") {
  RingSet set(kSmallRing, 1);
  std::unique_ptr<std::thread> holder;
  std::atomic<int> step{0};
  holder = std::make_unique<std::thread>([&] {
    set.local();
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  CHECK(set.local() == nullptr);
  CHECK(set.local() == nullptr);
  set.count_unringed(RecordKind::api_call);
  set.count_unringed(RecordKind::mark);
  set.count_unringed(RecordKind::api_call);
  const auto totals = set.totals();
  CHECK(totals.offered[kApi] == 2);
  CHECK(totals.dropped[kApi] == 2);
  CHECK(totals.dropped[static_cast<std::size_t>(RecordKind::mark)] == 1);
  CHECK(totals.consumed[kApi] == 0);

  step = 2;
  holder->join();
  CHECK(set.local() == nullptr);  // ended, but not yet recycled
  drain_all(set);
  ThreadRing* mine = set.local();
  REQUIRE(mine != nullptr);
  CHECK(mine->thread_index == 1);
  CHECK(set.local() == mine);
  CHECK(set.rings() == 1);
}

TEST_CASE("the oldest call in progress is the minimum over rings, zeros skipped") {
  RingSet set(kSmallRing, 4);
  CHECK(set.oldest_call_in_progress_ns() == kNone);
  ThreadRing* mine = set.local();
  CHECK(set.oldest_call_in_progress_ns() == kNone);
  mine->in_call_since_ns = 500;
  on_thread([&] { set.local()->in_call_since_ns = 300; });  // ends within its call
  CHECK(set.oldest_call_in_progress_ns() == 300);
  drain_all(set);
  CHECK(set.oldest_call_in_progress_ns() == 500);
  mine->in_call_since_ns = 0;
  CHECK(set.oldest_call_in_progress_ns() == kNone);
}

namespace {

// A key of the test's own, whose destructor runs again in a later round: by then the set's has run.
struct LateCaller {
  RingSet* set;
  pthread_key_t key;
  int rounds = 0;
  ThreadRing* last = nullptr;
};

void late_destructor(void* p) {
  auto* late = static_cast<LateCaller*>(p);
  late->last = late->set->local();
  if (late->last == nullptr) late->set->count_unringed(RecordKind::api_call);
  if (++late->rounds < 3) pthread_setspecific(late->key, late);
}

struct RecordsAtExit {
  RingSet* set;
  ~RecordsAtExit() { push(set->local()->ring, 5, 32); }
};

}  // namespace

TEST_CASE("a thread that ends inside a call holds up nobody, and leaves nothing to the next one") {
  RingSet set(kSmallRing, 1);
  std::thread([&] {
    ThreadRing* t = set.local();
    t->in_call_since_ns.store(300, std::memory_order_relaxed);
    t->graph_nodes_created = 7;
    t->outermost_correlation_id = 9;
  }).join();
  drain_all(set);
  CHECK(set.oldest_call_in_progress_ns() == kNone);
  std::thread([&] {
    ThreadRing* t = set.local();
    REQUIRE(t != nullptr);
    CHECK(t->graph_nodes_created == 0);
    CHECK(t->outermost_correlation_id == 0);
  }).join();
}

TEST_CASE("records after a thread's end find no ring and are counted") {
  const std::size_t max_rings = GENERATE(4, 0);  // 0: the thread had none in its life either
  RingSet set(kSmallRing, max_rings);
  LateCaller late{&set, {}};
  REQUIRE(pthread_key_create(&late.key, late_destructor) == 0);
  on_thread([&] {
    CHECK((set.local() != nullptr) == (max_rings != 0));
    pthread_setspecific(late.key, &late);
  });
  pthread_key_delete(late.key);
  CHECK(late.rounds == 3);
  CHECK(late.last == nullptr);
  CHECK(set.totals().dropped[kApi] >= 2);
  CHECK(set.rings() == (max_rings != 0));
  drain_all(set);
  if (max_rings != 0) on_thread([&] { CHECK(set.local()->thread_index == 1); });
}

TEST_CASE("destructors of a thread's own objects still record") {
  RingSet set(kSmallRing, 4);
  on_thread([&] {
    set.local();
    thread_local RecordsAtExit object{&set};
    CHECK(object.set == &set);
  });
  CHECK(drain_all(set) == 1);
  CHECK(set.totals().consumed[kApi] == 1);
}

namespace {

RingSet* exit_set = nullptr;
ThreadRing* exit_ring = nullptr;

void record_in_atexit() {
  const bool fine =
      exit_set->local() == exit_ring && push(exit_ring->ring, 1, 32) && drain_all(*exit_set) == 1;
  _exit(fine ? 42 : 1);
}

}  // namespace

TEST_CASE("an atexit handler of the main thread still records") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    exit_set = new RingSet(kSmallRing, 4);
    exit_ring = exit_set->local();
    std::atexit(record_in_atexit);
    std::exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}
