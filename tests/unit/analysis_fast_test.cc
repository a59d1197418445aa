// Short cuts of analysis beside the plain way to the same answer.
#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "analysis/attribution.h"
#include "analysis/id_map.h"
#include "analysis/queue_full.h"
#include "analysis/start_order.h"
#include "catch.h"

using namespace gapscope;

namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

// Ids as they come: one after the other, around the wrap, on each other's places, any.
std::uint32_t some_id(Random& random, int pattern, std::uint32_t step) {
  switch (pattern) {
    case 0:
      return step;
    case 1:
      return 0xffffff00u + step;
    case 2:
      return static_cast<std::uint32_t>(below(random, 40)) << 20;
    default:
      return static_cast<std::uint32_t>(below(random, 3000));
  }
}

}  // namespace

TEST_CASE("a map of ids behaves like any map, whatever the ids") {
  for (int pattern = 0; pattern < 4; ++pattern) {
    CAPTURE(pattern);
    Random random(static_cast<std::uint64_t>(pattern) + 1);
    IdMap<std::uint64_t> map;
    std::map<std::uint32_t, std::uint64_t> model;
    for (std::uint32_t step = 0; step < 20'000; ++step) {
      const std::uint32_t id = some_id(random, pattern, step);
      map[id] = step;
      model[id] = step;
      const std::uint32_t other =
          pattern < 2
              ? some_id(random, pattern, static_cast<std::uint32_t>(below(random, step + 1)))
              : some_id(random, pattern, 0);
      if (random() % 2 == 0) {
        map.erase(other);
        model.erase(other);
      }
      REQUIRE(map.size() == model.size());
      const std::uint64_t* found = map.find(other);
      const auto known = model.find(other);
      REQUIRE((found != nullptr) == (known != model.end()));
      if (found != nullptr) REQUIRE(*found == known->second);
    }
    for (const auto& [id, value] : model) REQUIRE(*map.find(id) == value);
    for (const auto& [id, value] : model) map.erase(id);
    REQUIRE(map.empty());
  }
}

TEST_CASE("sorting by start is a stable sort, whatever the starts") {
  struct Entry {
    std::int64_t start_ns;
    std::uint32_t slot;
    bool operator==(const Entry&) const = default;
  };
  Random random(7);
  std::vector<Entry> scratch;
  for (const std::size_t size : {0u, 1u, 511u, 512u, 5000u, 40'000u}) {
    // How far apart starts lie: all the same, a few values, a flush, everything there is.
    for (const int bits : {0, 3, 11, 12, 28, 62, 64}) {
      CAPTURE(size, bits);
      std::vector<Entry> entries;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t ns = bits == 0 ? 5 : random() >> (64 - bits);
        entries.push_back({static_cast<std::int64_t>(ns), static_cast<std::uint32_t>(i)});
      }
      std::vector<Entry> expected = entries;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Entry& a, const Entry& b) { return a.start_ns < b.start_ns; });
      sort_by_start(entries, scratch);
      REQUIRE(entries == expected);
    }
  }
}

TEST_CASE("full launch queues are found as by looking at every interval") {
  Random random(11);
  QueueFull queue_full;
  std::vector<std::pair<std::int64_t, std::int64_t>> model;
  std::int64_t now = 1000;
  for (int step = 0; step < 20'000; ++step) {
    now += below(random, 50);
    auto r = make_record<OverheadRecord>(3);
    r.type = OverheadType::command_buffer_full;
    const std::int64_t start = now - below(random, 200);
    const std::int64_t end = start + (random() % 20 == 0 ? below(random, 5000) : below(random, 40));
    r.start_ns = static_cast<std::uint64_t>(start);
    r.end_ns = static_cast<std::uint64_t>(end);
    queue_full.add(r);
    const auto at = std::upper_bound(model.begin(), model.end(), start,
                                     [](std::int64_t ns, const auto& i) { return ns < i.first; });
    model.insert(at, {start, end});
    if (model.size() > QueueFull::kMaxIntervals) model.erase(model.begin());
    if (random() % 2000 == 0) {
      const std::int64_t before = now - below(random, 100'000);
      queue_full.forget_before(before);
      std::erase_if(model, [&](const auto& i) { return i.second < before; });
    }
    const std::int64_t from = now - below(random, 3000), to = from + below(random, 30);
    const bool expected = std::any_of(
        model.begin(), model.end(), [&](const auto& i) { return i.first < to && i.second > from; });
    REQUIRE(queue_full.overlaps(3, from, to) == expected);
  }
}

namespace {

constexpr std::int64_t kUs = 1000;

Call some_call(Random& random, std::int64_t begin_ns) {
  static const ApiId rare[] = {
      ApiId::module_load,        ApiId::malloc_,     ApiId::free_, ApiId::graph_launch,
      ApiId::stream_synchronize, ApiId::graph_upload};
  Call call;
  call.start_ns = begin_ns;
  call.end_ns = begin_ns + 1 + below(random, random() % 30 == 0 ? 3000 * kUs : 6 * kUs);
  call.thread = static_cast<std::uint32_t>(below(random, 3));
  call.api = random() % 20 == 0 ? rare[random() % 6] : ApiId::launch_kernel;
  call.category = api_category(call.api);
  return call;
}

void some_evidence(Random& random, std::int64_t now_ns, HostEvidence* evidence) {
  const auto begin = static_cast<std::uint64_t>(now_ns - below(random, 40 * kUs));
  const std::uint64_t end = begin + 1 + random() % 50'000;
  if (random() % 2 == 0) {
    auto r = make_record<OverheadRecord>();
    r.start_ns = begin, r.end_ns = end;
    r.type = static_cast<OverheadType>(random() % 10);
    evidence->add(r);
  } else {
    auto r = make_record<GcRecord>();
    r.start_ns = begin, r.end_ns = end;
    evidence->add(r);
  }
}

}  // namespace

TEST_CASE("a gap has the same causes the short and the long way") {
  Random random(3);
  const NameTable names(100);
  HostEvidence evidence;
  const Attribution attribution(evidence, names);
  std::int64_t now_ns = 1'000'000'000;
  int launch_bound = 0;
  for (int step = 0; step < 40'000; ++step) {
    now_ns += below(random, random() % 50 == 0 ? 4000 * kUs : 8 * kUs);
    // Now and then one that comes late.
    const Call call = some_call(random, random() % 200 == 0 ? now_ns - 30 * kUs : now_ns);
    evidence.add_call(call, call.category == ApiCategory::sync || random() % 100 == 0);
    if (random() % 60 == 0) some_evidence(random, now_ns, &evidence);
    if (random() % 500 == 0) evidence.forget_before(now_ns - 100 * kUs);
    const std::int64_t end_ns = now_ns + below(random, 10 * kUs);
    const std::int64_t begin_ns = end_ns - below(random, random() % 9 == 0 ? 400 * kUs : 20 * kUs);
    Launch launch;
    if (random() % 10 != 0) {
      launch.start_ns = call.start_ns;
      launch.queued_ns = random() % 20 == 0 ? begin_ns + 1 : call.end_ns;
      launch.thread = call.thread;
    }
    const CauseSlices fast = attribution.attribute(begin_ns, end_ns, launch);
    const CauseSlices plain = attribution.weigh(begin_ns, end_ns, launch);
    CAPTURE(step, begin_ns, end_ns);
    REQUIRE(fast.size() == plain.size());
    for (std::size_t i = 0; i < fast.size(); ++i) {
      REQUIRE(fast[i].cause == plain[i].cause);
      REQUIRE(fast[i].ns == plain[i].ns);
      REQUIRE(fast[i].evidence == plain[i].evidence);
    }
    launch_bound += fast.size() == 1 && fast[0].cause == Cause::launch_bound;
  }
  REQUIRE(launch_bound > 5000);  // what the short cut is for came up
}
