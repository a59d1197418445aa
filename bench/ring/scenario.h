// One row of the comparison, and the loop that measures it for any queue.
//
// A pass: every producer pushes its part of the stream as fast as it can; the figure is the CPU
// time of the producer threads over the records they offered, taken or dropped. A queue that is
// full drops: nobody waits, as nobody may in a profiled application.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "affinity.h"
#include "benchmark/benchmark.h"
#include "record/record.h"

namespace gapscope::bench {

template <std::size_t Bytes>
struct Rec {
  static constexpr RecordKind kKind = RecordKind::api_call;
  RecordHeader header;
  std::uint64_t words[(Bytes - sizeof(RecordHeader)) / 8];
};

enum class Consumer {
  idle,      // takes nothing until the producers are done
  slow,      // empties the queues once a millisecond
  busy,      // empties them all the time, on a CPU of its own
  same_core  // like slow, on the producer's CPU
};
const char* name_of(Consumer consumer);

struct Scenario {
  std::size_t record_bytes;
  std::size_t ring_share;  // the queues together hold 1 / ring_share of the stream
  Consumer consumer;
  std::size_t producers;

  std::string name() const;
  std::size_t records_each() const;  // of one producer
  std::size_t capacity() const;      // records, of one producer's queue
};

// Every scenario with this record size.
std::vector<Scenario> scenarios(std::size_t record_bytes);

struct Pass {
  std::uint64_t producer_ns = 0, wall_ns = 0, offered = 0, dropped = 0, consumed = 0;
};
void report(benchmark::State& state, const Pass& sum);

// Queues: constructed for (producers, capacity in records of each); push(producer, record) is
// called by one thread a producer; drain() by one thread at a time, returns how many it took.
template <typename Queues, typename Record>
class Runner {
 public:
  explicit Runner(const Scenario& s) : scenario_(s), queues_(s.producers, s.capacity()) {}

  Pass pass() {
    Pass result;
    std::atomic<std::size_t> ready{0}, running{scenario_.producers};
    std::atomic<bool> go{false};
    std::atomic<std::uint64_t> ns{0}, dropped{0};
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < scenario_.producers; ++p) {
      threads.emplace_back([&, p] {
        run_on(producer_place());
        ready.fetch_add(1);
        while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
        produce(p, ns, dropped);
        running.fetch_sub(1, std::memory_order_release);
      });
    }
    std::uint64_t consumed = 0;
    std::thread consumer([&] { consumed = consume(running, go); });
    while (ready.load() != scenario_.producers) std::this_thread::yield();
    const std::uint64_t begin = wall_ns();
    go.store(true, std::memory_order_release);
    for (auto& t : threads) t.join();
    result.wall_ns = wall_ns() - begin;
    consumer.join();
    result.consumed = consumed + queues_.drain();
    result.producer_ns = ns.load();
    result.offered = scenario_.records_each() * scenario_.producers;
    result.dropped = dropped.load();
    return result;
  }

 private:
  Place producer_place() const {
    return scenario_.consumer == Consumer::same_core ? Place::first : Place::all_but_last;
  }

  void produce(std::size_t p, std::atomic<std::uint64_t>& ns, std::atomic<std::uint64_t>& dropped) {
    alignas(64) Record records[8] = {};  // ready-made: what is measured is the queue
    for (Record& r : records) r.header = {sizeof(Record), Record::kKind, 0, 0};
    const std::size_t n = scenario_.records_each();
    std::uint64_t lost = 0;
    const std::uint64_t begin = thread_cpu_ns();
    for (std::size_t i = 0; i < n; ++i) {
      benchmark::DoNotOptimize(records);
      lost += !queues_.push(p, records[i % 8]);
    }
    ns.fetch_add(thread_cpu_ns() - begin);
    dropped.fetch_add(lost);
  }

  std::uint64_t consume(const std::atomic<std::size_t>& running, const std::atomic<bool>& go) {
    if (scenario_.consumer == Consumer::idle) return 0;
    run_on(scenario_.consumer == Consumer::same_core ? Place::first : Place::last);
    while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
    std::uint64_t taken = 0;
    while (running.load(std::memory_order_acquire) != 0) {
      taken += queues_.drain();
      if (scenario_.consumer != Consumer::busy) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    return taken;
  }

  Scenario scenario_;
  Queues queues_;
};

template <typename Queues, typename Record>
void measure(benchmark::State& state, const Scenario& scenario) {
  Runner<Queues, Record> runner(scenario);
  runner.pass();  // touches the memory
  Pass sum;
  for (auto _ : state) {
    const Pass one = runner.pass();
    state.SetIterationTime(static_cast<double>(one.producer_ns) * 1e-9);
    sum.producer_ns += one.producer_ns;
    sum.wall_ns += one.wall_ns;
    sum.offered += one.offered;
    sum.dropped += one.dropped;
    sum.consumed += one.consumed;
  }
  if (sum.offered != sum.consumed + sum.dropped) state.SkipWithError("records went missing");
  report(state, sum);
}

template <template <typename> class Queues, std::size_t Bytes>
void add_rows(const char* queue) {
  for (const Scenario& s : scenarios(Bytes)) {
    benchmark::RegisterBenchmark((s.name() + "/" + queue).c_str(),
                                 measure<Queues<Rec<Bytes>>, Rec<Bytes>>, s)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

// Keeps what a consumer reads of a record from being optimised away: its first and last word.
template <typename Record>
std::uint64_t look_at(const Record& r) {
  return r.words[0] + r.words[std::size(r.words) - 1] + r.header.thread;
}

// What a file with a queue defines once: registers its rows.
using AddQueue = void (*)();
bool add_queue(AddQueue add);

}  // namespace gapscope::bench
