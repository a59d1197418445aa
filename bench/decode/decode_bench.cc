// Rows decode/...: from an activity buffer to neutral records, beside a walk over the buffer that
// sums one field and a copy of it.
#include <cstring>
#include <vector>

#include "activity_buffer.h"
#include "benchmark/benchmark.h"
#include "decode.h"
#include "fmt/format.h"
#include "ring/affinity.h"
#include "rows.h"
#include "runtime/interner.h"

namespace gapscope::bench {
namespace {

constexpr std::size_t kBufferBytes = 4u << 20;  // GAPSCOPE_BUFFER_SIZE's default

class Sum final : public RecordSink {
 public:
  void consume(const RecordHeader& record) override { sum_ += record.size_bytes; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

cupti::CuptiApi walker() {
  cupti::CuptiApi api;
  api.activity_get_next_record = &next_record;
  return api;
}

void decode(ActivityBuffer& buffer, Interner& interner) {
  static const cupti::CuptiApi api = walker();
  static cupti::OccupancyTable occupancy = h200();
  Sum sum;
  cupti::decode_buffer(api, buffer.data(), buffer.valid_bytes(), sum, interner, occupancy);
  benchmark::DoNotOptimize(sum.sum());
}

void walk(ActivityBuffer& buffer, Interner&) {
  std::uint64_t sum = 0;
  CUpti_Activity* record = nullptr;
  while (next_record(buffer.data(), buffer.valid_bytes(), &record) == CUPTI_SUCCESS) {
    // Start and end lie at the same place in all three.
    sum += reinterpret_cast<const CUpti_ActivityKernel10*>(record)->start;
  }
  benchmark::DoNotOptimize(sum);
}

void copy(ActivityBuffer& buffer, Interner&) {
  static std::vector<std::uint8_t> to(kBufferBytes);
  std::memcpy(to.data(), buffer.data(), buffer.valid_bytes());
  benchmark::ClobberMemory();
}

void measure(benchmark::State& state, void (*what)(ActivityBuffer&, Interner&),
             std::uint32_t names) {
  ActivityBuffer buffer(kBufferBytes, names);
  Interner interner;
  what(buffer, interner);  // defines the names, touches the memory
  std::uint64_t ns = 0, records = 0;
  for (auto _ : state) {
    const std::uint64_t begin_ns = thread_cpu_ns();
    what(buffer, interner);
    const std::uint64_t took_ns = thread_cpu_ns() - begin_ns;
    state.SetIterationTime(static_cast<double>(took_ns) * 1e-9);
    ns += took_ns;
    records += buffer.records();
  }
  state.counters["ns_per_record"] = static_cast<double>(ns) / static_cast<double>(records);
  state.counters["M_records_per_s"] = 1e3 * static_cast<double>(records) / static_cast<double>(ns);
}

void add_rows(bool) {
  for (const std::uint32_t names : {1u, 100u, 10'000u}) {
    const auto add = [names](const char* name, void (*what)(ActivityBuffer&, Interner&)) {
      benchmark::RegisterBenchmark(fmt::format("decode/{}_names/{}", names, name).c_str(), measure,
                                   what, names)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    };
    add("decode", decode);
    add("walk", walk);
    add("memcpy", copy);
  }
}

const bool kRegistered = register_rows(add_rows);

}  // namespace
}  // namespace gapscope::bench
