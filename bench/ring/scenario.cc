#include "scenario.h"

#include <algorithm>

#include "fmt/format.h"
#include "rows.h"

namespace gapscope::bench {
namespace {

std::size_t stream_bytes = 16u << 20;

std::vector<AddQueue>& queues() {
  static std::vector<AddQueue> list;
  return list;
}

}  // namespace

const char* name_of(Consumer consumer) {
  switch (consumer) {
    case Consumer::idle:
      return "idle";
    case Consumer::slow:
      return "slow";
    case Consumer::busy:
      return "busy";
    case Consumer::same_core:
      return "same_core";
  }
  return "?";
}

std::string Scenario::name() const {
  return fmt::format("ring/{}B/{}/{}/{}p", record_bytes, ring_share == 1 ? "ample" : "1_16",
                     name_of(consumer), producers);
}

std::size_t Scenario::records_each() const { return stream_bytes / record_bytes / producers; }

std::size_t Scenario::capacity() const { return records_each() / ring_share; }

// One producer: everything. Several: one size, since what changes is the number of queues.
std::vector<Scenario> scenarios(std::size_t record_bytes) {
  std::vector<Scenario> list;
  for (const std::size_t share : {1, 16}) {
    for (const Consumer c : {Consumer::idle, Consumer::slow, Consumer::busy, Consumer::same_core}) {
      list.push_back({record_bytes, share, c, 1});
    }
    if (record_bytes != 64) continue;
    for (const std::size_t producers : {2, 8, 64}) {
      for (const Consumer c : {Consumer::slow, Consumer::busy}) {
        list.push_back({record_bytes, share, c, producers});
      }
    }
  }
  return list;
}

void report(benchmark::State& state, const Pass& sum) {
  const auto offered = static_cast<double>(std::max<std::uint64_t>(sum.offered, 1));
  const auto wall = static_cast<double>(std::max<std::uint64_t>(sum.wall_ns, 1));
  state.counters["ns_per_record"] = static_cast<double>(sum.producer_ns) / offered;
  state.counters["dropped_pct"] = 100.0 * static_cast<double>(sum.dropped) / offered;
  state.counters["consumed_M_per_s"] = 1e3 * static_cast<double>(sum.consumed) / wall;
}

bool add_queue(AddQueue add) {
  queues().push_back(add);
  return true;
}

namespace {

const bool kRegistered = register_rows([](bool smoke) {
  if (smoke) stream_bytes = 1u << 20;
  for (const AddQueue add : queues()) add();
});

}  // namespace

}  // namespace gapscope::bench
