// The rows that a profiler meets: a record now and then, with the application's own work between,
// which has pushed the queue's lines out of the first-level cache.
//
// Blocks of work alone and of work with pushes alternate; the figure is the median over pairs of
// blocks of their difference a record. Medians, since a block that was interrupted is no
// measurement.
#pragma once

#include <algorithm>

#include "scenario.h"

namespace gapscope::bench {

inline constexpr std::size_t kPacedBlock = 64;    // records
inline constexpr std::size_t kPacedBlocks = 256;  // a pass

// One read and write a cache line over more than the first-level cache holds.
class Work {
 public:
  // Not inlined: both kinds of block must run the very same code.
  [[gnu::noinline]] void operator()() {
    for (std::size_t i = 0; i < bytes_.size(); i += 64) ++bytes_[i];
    benchmark::ClobberMemory();
  }

 private:
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(64 * 1024);
};

template <typename Queues, typename Record>
void paced_pass(Queues& queues, std::vector<double>& per_record, std::uint64_t& dropped) {
  Work work;
  alignas(64) Record records[8] = {};
  for (Record& r : records) r.header = {sizeof(Record), Record::kKind, 0, 0};
  for (std::size_t b = 0; b < kPacedBlocks; ++b) {
    const std::uint64_t t0 = wall_ns();
    for (std::size_t i = 0; i < kPacedBlock; ++i) {
      work();
      benchmark::DoNotOptimize(records);
    }
    const std::uint64_t t1 = wall_ns();
    for (std::size_t i = 0; i < kPacedBlock; ++i) {
      work();
      benchmark::DoNotOptimize(records);
      dropped += !queues.push(0, records[i % 8]);
    }
    const std::uint64_t t2 = wall_ns();
    per_record.push_back((static_cast<double>(t2 - t1) - static_cast<double>(t1 - t0)) /
                         static_cast<double>(kPacedBlock));
  }
}

template <typename Queues, typename Record>
void measure_paced(benchmark::State& state, Consumer consumer) {
  Queues queues(1, 2 * kPacedBlock * kPacedBlocks);
  std::vector<double> per_record;
  Pass sum;
  const std::uint64_t begin = wall_ns();
  for (auto _ : state) {
    std::atomic<bool> done{false};
    std::thread taker([&] {
      run_on(Place::last);
      while (!done.load(std::memory_order_acquire)) {
        if (consumer != Consumer::idle) sum.consumed += queues.drain();
        if (consumer != Consumer::busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    std::thread([&] {
      run_on(Place::all_but_last);
      paced_pass<Queues, Record>(queues, per_record, sum.dropped);
    }).join();
    done.store(true, std::memory_order_release);
    taker.join();
    sum.consumed += queues.drain();
    sum.offered += kPacedBlock * kPacedBlocks;
  }
  sum.wall_ns = wall_ns() - begin;
  if (sum.offered != sum.consumed + sum.dropped) state.SkipWithError("records went missing");
  auto middle = per_record.begin() + static_cast<std::ptrdiff_t>(per_record.size() / 2);
  std::nth_element(per_record.begin(), middle, per_record.end());
  report(state, sum);
  state.counters["ns_per_record"] = *middle;
}

template <typename Queues, typename Record>
void add_paced_rows(const char* queue) {
  for (const Consumer c : {Consumer::idle, Consumer::slow, Consumer::busy}) {
    const std::string name =
        "ring/" + std::to_string(sizeof(Record)) + "B/paced/" + name_of(c) + "/1p/" + queue;
    benchmark::RegisterBenchmark(name.c_str(), measure_paced<Queues, Record>, c)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

template <template <typename> class Queues>
void add_all_sizes(const char* queue) {
  add_rows<Queues, 32>(queue);
  add_rows<Queues, 64>(queue);
  add_rows<Queues, 128>(queue);
  add_rows<Queues, 256>(queue);
  add_paced_rows<Queues<Rec<32>>, Rec<32>>(queue);
  add_paced_rows<Queues<Rec<64>>, Rec<64>>(queue);
  add_paced_rows<Queues<Rec<256>>, Rec<256>>(queue);
}

}  // namespace gapscope::bench
