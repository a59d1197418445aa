// Random runs, and their delivery to analysis in random order with truthful ticks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/analysis.h"
#include "analysis_oracle.h"

namespace gapscope::test {

struct ScenarioOptions {
  int calls = 120;
  bool losses = false;         // calls or device records that never come
  bool marks = false;          // capture switches
  int steps = 0;               // step marks, spread over the run
  std::uint32_t id_bits = 32;  // correlation ids wrap at that many bits
};

// Threads that launch kernels, copies, sets and graphs onto streams of several devices, and wait.
TrueRun random_run(std::mt19937_64& random, const ScenarioOptions& options);

struct DeliveryOptions {
  bool ticks = true;      // truthful ones at random places; else the final one only
  bool in_order = false;  // roughly as it happened, else any order
};

// Feeds what reached analysis, then a final tick. Calls check(analysis) after some of the ticks.
template <typename Check>
void deliver(const TrueRun& run, std::mt19937_64& random, const DeliveryOptions& options,
             Analysis& analysis, Check&& check);

// The capture ranges that the run's marks open.
std::vector<Interval> capture_ranges(const TrueRun& run);

// --- implementation of the template -------------------------------------------------------------

struct Delivery {
  std::vector<std::uint64_t> bytes;
  std::int64_t order_ns;  // about when it would come
  std::int64_t host_ns;   // host records: entry; else INT64_MAX
  std::int64_t
      known_ns;  // device records: a flush that began later has delivered it; else INT64_MAX
};
std::vector<Delivery> deliveries(const TrueRun& run, std::mt19937_64& random, bool in_order);
std::vector<std::vector<std::uint64_t>> definitions();
std::vector<std::uint64_t> tick_bytes(bool final_tick, std::int64_t now_ns, std::int64_t floor_ns,
                                      std::int64_t flushed_ns);

template <typename Check>
void deliver(const TrueRun& run, std::mt19937_64& random, const DeliveryOptions& options,
             Analysis& analysis, Check&& check) {
  const auto feed = [&](const std::vector<std::uint64_t>& bytes) {
    analysis.consume(*reinterpret_cast<const RecordHeader*>(bytes.data()));
  };
  for (const auto& definition : definitions()) feed(definition);
  const auto list = deliveries(run, random, options.in_order);
  // What a tick may vouch for after each record: the least of what is still to come.
  std::vector<std::int64_t> floor(list.size() + 1, INT64_MAX), flushed(list.size() + 1, INT64_MAX);
  std::int64_t last = 0;
  for (std::size_t i = list.size(); i-- > 0;) {
    floor[i] = std::min(floor[i + 1], list[i].host_ns);
    flushed[i] = std::min(flushed[i + 1], list[i].known_ns);
    last = std::max(last, list[i].order_ns);
  }
  std::int64_t now = options.in_order ? 0 : last + 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    feed(list[i].bytes);
    if (options.in_order) now = std::max(now, list[i].order_ns + 1);
    if (!options.ticks || random() % 6 != 0) continue;
    feed(tick_bytes(false, now, std::min(floor[i + 1], now), std::min(flushed[i + 1], now)));
    if (random() % 8 == 0) check(analysis);
  }
  feed(tick_bytes(true, now, now, now));
}

}  // namespace gapscope::test
