// Hostile, malformed and endless streams.
#include <cstring>
#include <random>

#include "analysis/iterations.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {

TEST_CASE("what cannot be is counted and ignored") {
  Fed fed;
  fed.run(1, 100, 1000, 2000);
  fed.add(kernel(2, 3000, 2000));                    // ends before it begins
  fed.add(kernel(3, 1ull << 63, (1ull << 63) + 5));  // a sentinel
  Place absurd;
  absurd.device = 1u << 20;
  fed.add(kernel(4, 3000, 4000, 1, absurd));
  fed.add(launch(5, 5000, 4000));
  fed.add(mark(MarkKind::step, ~0ull));
  RecordHeader tiny{4, RecordKind::kernel, 0, 0};
  fed.analysis.consume(tiny);
  RecordHeader none{sizeof(RecordHeader), RecordKind::none, 0, 0};
  fed.analysis.consume(none);
  auto quality = make_record<DataQualityRecord>();
  quality.invalid_timestamps = 10, quality.dropped_cupti = 3, quality.dropped_buffers = 4;
  fed.add(quality);
  auto lost = make_record<LostRecord>();
  lost.count = 5;
  fed.add(lost);
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.invalid == 7 + 10);
  REQUIRE(report.records.dropped_cupti == 7);
  REQUIRE(report.records.dropped_ring == 5);
  REQUIRE(report.records.seen == 1);
  REQUIRE(report.whole.devices.size() == 1);
  REQUIRE(report.whole.devices[0].time.window_ns == 1000);
}

TEST_CASE("records of an older, shorter layout are zero-filled") {
  Fed fed;
  KernelRecord record = kernel(1, 1000, 2000);
  record.header.size_bytes = 48;  // up to and with name_id, graph_id
  alignas(8) unsigned char bytes[48];
  std::memcpy(bytes, &record, sizeof(bytes));
  fed.analysis.consume(*reinterpret_cast<const RecordHeader*>(bytes));
  const report::Report report = fed.finish();
  REQUIRE(report.records.seen == 1);
  REQUIRE(report.whole.devices[0].kernels[0].name == "gemm_kernel");
}

TEST_CASE("names may come after their kernels, or never") {
  Fed fed;
  fed.run(1, 100, 1000, 2000, 40).run(2, 110, 2000, 2500, 41);
  fed.add(string_def(40, "late_kernel"));
  const report::Report report = fed.finish();
  REQUIRE(report.whole.devices[0].kernels[0].name == "late_kernel");
  REQUIRE(report.whole.devices[0].kernels[1].name == "(unnamed kernel)");
}

TEST_CASE("kernel names beyond the cap share one entry") {
  AnalysisOptions options;
  options.max_kernel_names = 10;
  Fed fed(options);
  for (std::uint32_t i = 0; i < 100; ++i) {
    fed.add(string_def(100 + i, "kernel_" + std::to_string(i)));
    fed.run(i + 1, 1000 + i * 10, 1000 + i * 10, 1004 + i * 10, 100 + i);
  }
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Device& device = report.whole.devices[0];
  REQUIRE(device.kernels.size() == 11);
  REQUIRE(device.operations == 100);
  bool found = false;
  for (const auto& kernel : device.kernels) {
    if (kernel.name == "(other)") found = kernel.time.count == 90;
  }
  REQUIRE(found);
  REQUIRE(device.kernel_names > 11);
}

namespace {

// Any bytes behind a plausible header, values drawn near the interesting ones.
Bytes random_record(std::mt19937_64& random) {
  static const std::uint64_t words[] = {0,        1,     7,          1000,      2000,
                                        1u << 31, ~0ull, 1ull << 62, 1ull << 63};
  Bytes bytes(1 + random() % 20);
  for (auto& word : bytes) {
    word = random() % 3 == 0 ? random() : words[random() % 9] + random() % 3000;
  }
  RecordHeader header{};
  header.kind = static_cast<RecordKind>(random() % 24);
  header.flags = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
  header.thread = static_cast<std::uint32_t>(random() % 4);
  header.size_bytes = static_cast<std::uint16_t>(bytes.size() * 8);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

// A well-formed operation or call with wild times and ids.
void add_wild(Fed& fed, std::mt19937_64& random) {
  Place place;
  place.device = static_cast<std::uint32_t>(random() % 66);
  place.context = static_cast<std::uint32_t>(random() % 4);
  place.handle = random() % 4;
  place.stream = static_cast<std::uint32_t>(random() % 4);
  const std::uint64_t start = random() % 2 ? random() % 10000 : random() >> (random() % 64);
  const std::uint64_t end = start + (random() % 2 ? random() % 1000 : random() >> (random() % 64));
  const auto id = static_cast<std::uint32_t>(random() % 50);
  switch (random() % 6) {
    case 0:
      fed.add(kernel(id, start, end, static_cast<std::uint32_t>(random() % 6), place));
      break;
    case 1:
      fed.add(copy(id, start, end, random(), place));
      break;
    case 2:
      fed.add(set(id, start, end, place));
      break;
    case 3:
      fed.add(call(static_cast<ApiId>(random() % 60), id, start, end,
                   static_cast<Expects>(random() % 5), place));
      break;
    case 4:
      fed.add(mark(static_cast<MarkKind>(random() % 12), start));
      break;
    default:
      fed.add(tick(static_cast<TickKind>(random() % 40 == 0 ? 3 : 1), start, end, start));
  }
}

}  // namespace

TEST_CASE("no stream of records crashes analysis or makes time not add up") {
  const auto seed = GENERATE(range(1, 40));
  INFO("seed " << seed);
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  AnalysisOptions options;
  options.max_pending = 64;
  options.max_kernel_names = 4;
  options.capture.mode = static_cast<CaptureSpec::Mode>(random() % 4);
  options.capture.first = random() % 5;
  options.capture.last = random() % 2 ? 5000 : ~0ull;
  Fed fed(options);
  for (int i = 0; i < 3000; ++i) {
    if (random() % 4 == 0) {
      fed.add(random_record(random));
    } else {
      add_wild(fed, random);
    }
    if (i % 500 == 0) REQUIRE_REPORT_HOLDS(fed.analysis.report());
  }
  fed.analysis.outstanding();
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.seen + report.records.invalid > 100);
}

TEST_CASE("without ticks memory stays within its bounds all the same") {
  AnalysisOptions options;
  options.max_pending = 1000;
  Fed fed(options);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::uint64_t now = 1000 + std::uint64_t{i} * 100;
    fed.add(launch(2 * i, now, now + 10)).add(kernel(2 * i, now + 20, now + 50));
    fed.add(launch(2 * i + 1, now + 20, now + 30));  // its record never comes
    REQUIRE(fed.analysis.table_entries() < 80000);
  }
  const report::Report report = fed.finish(100'000'000);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.records.overflow > 0);
  REQUIRE(report.records.unmatched == 20000);
  REQUIRE(report.whole.devices[0].operations == 20000);
  REQUIRE(report.whole.devices[0].time.compute_ns == 20000 * 30);
}

TEST_CASE("tables do not grow with the number of records") {
  Fed fed;
  std::size_t early = 0, largest = 0;     // in the second tenth of the run, in what follows
  const std::uint32_t total = 2'500'000;  // calls, and as many kernels
  for (std::uint32_t i = 0; i < total; ++i) {
    const std::uint64_t now = 1'000'000 + std::uint64_t{i} * 4000;
    fed.add(launch(i, now, now + 2000));
    fed.add(kernel(i, now + 2500, now + 5000, 1 + i % 3));
    if (i % 5000 != 4999) continue;
    fed.add(tick(now + 3000));
    if (i < total / 10) continue;
    std::size_t& most = i < total / 5 ? early : largest;
    most = std::max(most, fed.analysis.table_entries());
  }
  const report::Report report = fed.finish(1ull << 45);
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices[0].operations == total);
  REQUIRE(report.records.late == 0);
  REQUIRE(report.records.overflow == 0);
  REQUIRE(report.records.orphaned == 0);
  // Nothing but the present batch, the streams, a handful of running things, and the piece in which
  // iterations are looked for.
  REQUIRE(largest < 2 * 5000 + 1000 + IterationFinder::kMaxPiece);
  REQUIRE(largest <= early + 1000);
}

}  // namespace gapscope::test
