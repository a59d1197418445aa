// Rows analysis/...: the whole of Analysis::consume, a walk over the same blocks that sums one
// field, and a copy of them. The figure is CPU time of this thread; making the stream is not in it.
#include <cstring>
#include <fstream>
#include <memory>

#include <unistd.h>

#include "analysis/analysis.h"
#include "benchmark/benchmark.h"
#include "fmt/format.h"
#include "ring/affinity.h"
#include "rows.h"
#include "stream.h"

namespace gapscope::bench {
namespace {

// How a block is treated; one object a run of the stream.
class Analyse {
 public:
  void block(const Block& b) {
    b.for_each([this](const RecordHeader& record) { analysis_.consume(record); });
  }
  void look(benchmark::State& state) {
    entries_ = std::max(entries_, analysis_.table_entries());
    state.counters["table_entries"] = static_cast<double>(entries_);
  }

 private:
  Analysis analysis_{AnalysisOptions()};
  std::size_t entries_ = 0;
};

class Walk {
 public:
  void block(const Block& b) {
    std::uint64_t sum = 0;
    b.for_each([&sum](const RecordHeader& record) {
      sum += reinterpret_cast<const std::uint64_t*>(&record)[1];
    });
    benchmark::DoNotOptimize(sum);
  }
  void look(benchmark::State&) {}
};

class Copy {
 public:
  void block(const Block& b) {
    if (to_.size() < b.words.size()) to_.resize(b.words.size() * 2);
    std::memcpy(to_.data(), b.words.data(), b.words.size() * sizeof(std::uint64_t));
    benchmark::ClobberMemory();
  }
  void look(benchmark::State&) {}

 private:
  std::vector<std::uint64_t> to_;
};

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Pass {
  std::uint64_t ns = 0, records = 0;
  std::size_t grown_bytes = 0;  // of the process, after the first blocks
};

template <typename What>
Pass run(benchmark::State& state, const StreamSpec& spec, std::uint64_t records) {
  constexpr std::uint64_t kWarm = 500'000;
  Pass pass;
  Stream stream(spec);
  auto what = std::make_unique<What>();
  Block block;
  std::size_t before_bytes = 0;
  const auto take = [&] {
    const std::uint64_t begin_ns = thread_cpu_ns();
    what->block(block);
    pass.ns += thread_cpu_ns() - begin_ns;
    pass.records += block.records;
    what->look(state);
    if (before_bytes == 0 && pass.records >= kWarm) before_bytes = resident_bytes();
  };
  while (pass.records < records) {
    stream.next(&block);
    take();
  }
  stream.last(&block);
  take();
  const std::size_t after_bytes = resident_bytes();
  if (before_bytes != 0 && after_bytes > before_bytes) {
    pass.grown_bytes = after_bytes - before_bytes;
  }
  return pass;
}

template <typename What>
void measure(benchmark::State& state, const StreamSpec& spec, std::uint64_t records) {
  Pass sum;
  for (auto _ : state) {
    const Pass one = run<What>(state, spec, records);
    state.SetIterationTime(static_cast<double>(one.ns) * 1e-9);
    sum.ns += one.ns;
    sum.records += one.records;
    sum.grown_bytes = std::max(sum.grown_bytes, one.grown_bytes);
  }
  const auto n = static_cast<double>(std::max<std::uint64_t>(sum.records, 1));
  const auto ns = static_cast<double>(std::max<std::uint64_t>(sum.ns, 1));
  state.counters["ns_per_record"] = static_cast<double>(sum.ns) / n;
  state.counters["M_records_per_s"] = 1e3 * n / ns;
  if (records > 1'000'000) {
    state.counters["grown_KiB"] = static_cast<double>(sum.grown_bytes) / 1024;
  }
}

template <typename What>
void add(const StreamSpec& spec, std::uint64_t records, const char* what) {
  const std::string name = fmt::format("analysis/{}/{}k/{}", spec.name(), records / 1000, what);
  auto* row = benchmark::RegisterBenchmark(name.c_str(), measure<What>, spec, records);
  row->UseManualTime()->Unit(benchmark::kMillisecond);
  if (records >= 1'000'000) row->Iterations(1);
}

void add_all(const StreamSpec& spec, std::uint64_t records) {
  add<Analyse>(spec, records, "consume");
  add<Walk>(spec, records, "walk");
  add<Copy>(spec, records, "memcpy");
}

void add_rows(bool smoke) {
  for (const bool busy : {true, false}) {
    for (const std::uint32_t names : {1u, 100u, 10'000u}) {
      for (const bool in_order : {true, false}) {
        for (const bool host : {false, true}) {
          const StreamSpec spec{busy, in_order, host, names};
          if (smoke) {
            add_all(spec, 20'000);
            continue;
          }
          add_all(spec, 100'000);
          add_all(spec, 10'000'000);
        }
      }
    }
  }
  // Whether memory stays where it is.
  for (const std::uint64_t millions : {1, 10, 30}) {
    if (!smoke) add<Analyse>({true, true, true, 100}, millions * 1'000'000, "flat");
  }
}

const bool kRegistered = register_rows(add_rows);

}  // namespace
}  // namespace gapscope::bench
