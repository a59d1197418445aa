// The set under thousands of short threads, with a collector at work meanwhile.
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "catch.h"
#include "ring/ring_set.h"
#include "ring_testing.h"

using namespace gapscope;
using namespace ring_testing;

namespace {

constexpr RecordKind kKinds[] = {RecordKind::api_call, RecordKind::mark, RecordKind::text_mark};

struct Offered {
  std::array<std::atomic<std::uint64_t>, kRecordKinds> by_kind{};
  std::atomic<std::uint64_t> unringed{0};
};

// The life of one application thread: some records, mostly short.
void short_life(RingSet& set, Offered& offered, std::uint32_t records) {
  for (std::uint32_t n = 0; n < records; ++n) {
    const RecordKind kind = kKinds[n % std::size(kKinds)];
    offered.by_kind[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    ThreadRing* t = set.local();
    if (t == nullptr) {
      set.count_unringed(kind);
      offered.unringed.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    auto mark = make_record<MarkRecord>(t->thread_index);
    mark.header.kind = kind;
    mark.range_id = n;
    t->ring.push(mark.header);
  }
}

// What the collector sees of each thread: its records must be in order, LostRecords included.
struct Collector {
  std::map<std::uint32_t, std::uint64_t> last_range_id;
  std::uint64_t out_of_order = 0, foreign = 0, marked = 0;

  void visit(ThreadRing& t) {
    t.ring.drain([&](const RecordHeader& h) {
      foreign += h.thread != t.thread_index;
      if (h.kind == RecordKind::lost) {
        marked += record_cast<LostRecord>(h).count;
        return;
      }
      const std::uint64_t id = record_cast<MarkRecord>(h).range_id + 1;
      std::uint64_t& last = last_range_id[h.thread];
      out_of_order += id <= last;
      last = id;
    });
  }
};

struct Load {
  std::size_t threads, at_once, max_rings;
  std::uint32_t records_each;
};

void run(const Load& load) {
  RingSet set(kSmallRing, load.max_rings);
  Offered offered;
  Collector collector;
  std::atomic<bool> done{false};
  std::thread collecting([&] {
    while (!done.load(std::memory_order_acquire)) {
      set.for_each([&](ThreadRing& t) { collector.visit(t); });
      set.oldest_call_in_progress_ns();
      std::this_thread::yield();
    }
  });
  for (std::size_t i = 0; i < load.threads; i += load.at_once) {
    std::vector<std::thread> wave;
    for (std::size_t w = 0; w < load.at_once; ++w) {
      wave.emplace_back([&] { short_life(set, offered, load.records_each); });
    }
    for (auto& t : wave) t.join();
  }
  done.store(true, std::memory_order_release);
  collecting.join();
  set.for_each([&](ThreadRing& t) { collector.visit(t); });

  const auto totals = set.totals();
  std::uint64_t consumed = 0, dropped = 0;
  for (std::size_t k = 0; k < kRecordKinds; ++k) {
    CHECK(totals.offered[k] == offered.by_kind[k].load());
    CHECK(totals.offered[k] == totals.consumed[k] + totals.dropped[k]);
    consumed += totals.consumed[k];
    dropped += totals.dropped[k];
  }
  // All threads have ended, so even a loss at the end of one has its LostRecord.
  CHECK(collector.marked == dropped - offered.unringed.load());
  CHECK(collector.out_of_order == 0);
  CHECK(collector.foreign == 0);
  CHECK(set.rings() <= load.max_rings);
  CHECK(consumed > 0);
  CHECK(collector.last_range_id.size() <= load.threads);
}

}  // namespace

TEST_CASE("thousands of short threads, room for all") { run({4000, 8, 4000, 20}); }

TEST_CASE("thousands of short threads share a few rings") { run({4000, 8, 8, 20}); }

TEST_CASE("threads beyond the cap, rings that overflow, recycling, all at once") {
  run({600, 12, 4, 2000});
}

TEST_CASE("a drained set serves any number of threads with the rings of those alive at once") {
  RingSet set(kSmallRing, 1000);
  std::set<std::uint32_t> indices;
  for (int i = 0; i < 2000; ++i) {
    std::thread([&] {
      ThreadRing* t = set.local();
      indices.insert(t->thread_index);
      push(t->ring, 1, 64);
    }).join();
    set.for_each([](ThreadRing& t) { t.ring.drain([](const RecordHeader&) {}); });
  }
  CHECK(set.rings() == 1);
  CHECK(indices.size() == 2000);
  CHECK(*indices.rbegin() == 1999);  // dense
  CHECK(set.totals().consumed[static_cast<std::size_t>(RecordKind::api_call)] == 2000);
}
