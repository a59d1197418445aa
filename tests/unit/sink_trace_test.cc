// The trace against its records: whole JSON, exact times, and an end that says where it stopped.
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "analysis/analysis.h"
#include "catch.h"
#include "record/recording.h"
#include "sink/trace_writer.h"

namespace gapscope::sink {
namespace {

using Json = nlohmann::json;
constexpr std::uint64_t kNow = 1'750'000'000'000'000'000;
constexpr std::uint64_t kNoLimit = 1ull << 40;

std::string temp_path(const std::string& name) {
  return "/tmp/gapscope-trace-" + std::to_string(getpid()) + "-" + name;
}

std::string read_gzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string text;
  char chunk[65536];
  int n = 0;
  while ((n = gzread(file, chunk, sizeof chunk)) > 0)
    text.append(chunk, static_cast<std::size_t>(n));
  CHECK(n == 0);
  CHECK(gzclose(file) == Z_OK);
  return text;
}

template <typename T>
void feed_text(T record, const std::string& text, RecordSink& sink) {
  alignas(8) char bytes[kMaxRecordBytes] = {};
  record.header.size_bytes = static_cast<std::uint16_t>(round_up_8(sizeof(T) + text.size()));
  record.text_bytes = static_cast<decltype(record.text_bytes)>(text.size());
  std::memcpy(bytes, &record, sizeof(T));
  std::memcpy(bytes + sizeof(T), text.data(), text.size());
  sink.consume(*reinterpret_cast<const RecordHeader*>(bytes));
}

void feed_string(std::uint32_t id, const std::string& text, RecordSink& sink) {
  auto def = make_record<StringDefRecord>();
  def.id = id;
  feed_text(def, text, sink);
}

void feed_meta(MetaKey key, const std::string& text, RecordSink& sink) {
  auto meta = make_record<MetaRecord>();
  meta.key = key;
  feed_text(meta, text, sink);
}

KernelRecord kernel(std::uint32_t correlation, std::uint64_t start_ns, std::uint64_t end_ns) {
  auto k = make_record<KernelRecord>();
  k.start_ns = start_ns;
  k.end_ns = end_ns;
  k.correlation_id = correlation;
  k.context = 1;
  k.stream = 7;
  k.name_id = 1;
  return k;
}

MarkRecord mark(MarkKind kind, std::uint64_t time_ns, std::uint32_t name_id,
                std::uint64_t range = 0) {
  auto m = make_record<MarkRecord>(0);
  m.mark = kind;
  m.time_ns = time_ns;
  m.name_id = name_id;
  m.range_id = range;
  return m;
}

// What feed writes, read back; the file is removed.
template <typename Feed>
Json trace_of(const std::string& name, std::uint64_t limit, Feed&& feed) {
  const std::string path = temp_path(name);
  auto writer = TraceWriter::open(path, limit);
  REQUIRE(writer.ok());
  feed(**writer);
  REQUIRE((*writer)->close().ok());
  CHECK((*writer)->close().ok());
  const std::string text = read_gzip(path);  // reads plain files too
  unlink(path.c_str());
  return Json::parse(text);
}

Json events_of(const Json& trace, const std::string& category, const std::string& phase = "X") {
  Json found = Json::array();
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == category && event["ph"] == phase) found.push_back(event);
  }
  return found;
}

std::int64_t ns_of(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TEST_CASE("a trace without events is whole") {
  const Json trace = trace_of("empty.json", kNoLimit, [](TraceWriter&) {});
  CHECK(trace["traceEvents"].empty());
  CHECK(trace["gapscope"]["stopped_at_limit"] == false);
}

TEST_CASE("operations, calls, arrows and ranges stand in the trace with their exact times") {
  const Json trace = trace_of("some.json.gz", kNoLimit, [](TraceWriter& w) {
    feed_meta(MetaKey::pid, "4711", w);
    feed_meta(MetaKey::rank, "3/8", w);
    feed_meta(MetaKey::command, "/usr/bin/python /x/train.py", w);
    auto info = make_record<ThreadInfoRecord>(0);
    info.os_thread_id = 4712;
    w.consume(info.header);
    feed_string(1, "_Z6kernelPf", w);
    feed_string(2, "range \"<b>\"\n\xff", w);
    auto call = make_record<ApiCallRecord>(0);
    call.start_ns = kNow;
    call.end_ns = kNow + 4'321;
    call.correlation_id = 9;
    call.api = 1;
    call.expects = Expects::one;
    w.consume(call.header);
    w.consume(kernel(9, kNow + 10'001, kNow + 12'345).header);
    auto copy = make_record<CopyRecord>();
    copy.start_ns = kNow;
    copy.end_ns = kNow + 1000;
    copy.bytes = 5000;
    copy.direction = CopyDirection::htod;
    copy.source = MemoryKind::pinned;
    copy.destination = MemoryKind::device;
    w.consume(copy.header);
    w.consume(mark(MarkKind::range_push, kNow, 2).header);
    w.consume(mark(MarkKind::range_pop, kNow + 77, 0).header);
    w.consume(mark(MarkKind::range_start, kNow, 2, 5).header);
    w.consume(mark(MarkKind::range_end, kNow + 88, 0, 5).header);
    w.consume(mark(MarkKind::range_pop, kNow + 99, 0).header);  // closes nothing
    w.consume(mark(MarkKind::step, kNow, 0).header);
    w.consume(mark(MarkKind::step, kNow + 500, 0).header);
  });
  CHECK(trace["distributedInfo"]["rank"] == 3);
  CHECK(trace["distributedInfo"]["world_size"] == 8);
  const auto base = trace["baseTimeNanoseconds"].get<std::uint64_t>();
  const auto offset = static_cast<std::int64_t>(kNow - base);

  const Json kernels = events_of(trace, "kernel");
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0]["name"] == "kernel(float*)");
  CHECK(ns_of(kernels[0]["ts"]) == offset + 10'001);
  CHECK(ns_of(kernels[0]["dur"]) == 2'344);
  CHECK(kernels[0]["pid"] == 0);
  CHECK(kernels[0]["tid"] == 7);
  CHECK(kernels[0]["args"]["stream"] == 7);
  CHECK(kernels[0]["args"]["device"] == 0);
  CHECK(kernels[0]["args"]["correlation"] == 9);

  const Json calls = events_of(trace, "cuda_runtime");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0]["name"] == "cudaLaunchKernel");
  CHECK(calls[0]["pid"] == 4711);
  CHECK(calls[0]["tid"] == 4712);
  CHECK(ns_of(calls[0]["dur"]) == 4'321);

  const Json from = events_of(trace, "ac2g", "s");
  const Json to = events_of(trace, "ac2g", "f");
  REQUIRE(from.size() == 1);
  REQUIRE(to.size() == 1);
  CHECK(from[0]["id"] == to[0]["id"]);
  CHECK(from[0]["ts"] == calls[0]["ts"]);
  CHECK(to[0]["ts"] == kernels[0]["ts"]);

  const Json copies = events_of(trace, "gpu_memcpy");
  REQUIRE(copies.size() == 1);
  CHECK(copies[0]["name"] == "Memcpy HtoD (Pinned -> Device)");
  CHECK(copies[0]["args"]["memory bandwidth (GB/s)"] == 5.0);

  const Json ranges = events_of(trace, "user_annotation");
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0]["name"] == "range \"<b>\"\n\xef\xbf\xbd");
  CHECK(ns_of(ranges[0]["dur"]) == 77);
  CHECK(ns_of(ranges[1]["dur"]) == 88);
  CHECK(ranges[2]["name"] == "ProfilerStep#0");
  CHECK(ns_of(ranges[2]["dur"]) == 500);
}

TEST_CASE("the gaps of a trace are the report's, cause by cause") {
  for (const std::string name : {"loader_stall", "gc_pause", "sync_bound"}) {
    INFO(name);
    report::Report report;
    const Json trace = trace_of("gaps.json.gz", kNoLimit, [&](TraceWriter& w) {
      AnalysisOptions options;
      options.capture.mode = CaptureSpec::Mode::range;
      options.gap_observer = &w;
      Analysis analysis(options);
      struct Both final : RecordSink {
        Both(RecordSink& a, RecordSink& b) : first(a), second(b) {}
        void consume(const RecordHeader& record) override {
          first.consume(record);
          second.consume(record);
        }
        RecordSink &first, &second;
      } both(w, analysis);
      REQUIRE(replay_recording(GAPSCOPE_TEST_DATA "/causes/" + name + ".gsrec", both).ok());
      report = analysis.report();
    });
    const report::Device& device = report.whole.devices[0];
    std::map<std::string, std::int64_t> by_cause;
    std::int64_t idle_ns = 0;
    const Json gaps = events_of(trace, "gpu_idle");
    for (const Json& gap : gaps) {
      idle_ns += ns_of(gap["dur"]);
      for (const auto& [key, value] : gap["args"].items()) {
        const std::size_t unit = key.find(" (us)");
        if (unit != std::string::npos) by_cause[key.substr(0, unit)] += ns_of(value);
      }
    }
    CHECK(gaps.size() == static_cast<std::size_t>(device.gaps.count));
    CHECK(idle_ns == device.time.idle_ns);
    CHECK(by_cause.size() == device.causes.size());
    for (const report::Cause& cause : device.causes) {
      INFO(cause.cause);
      CHECK(by_cause[cause.cause] == cause.idle_ns);
    }
  }
}

TEST_CASE("at its limit a trace ends, whole, and says where") {
  constexpr std::uint64_t kLimit = 2u << 20;
  for (const char* name : {"full.json", "full.json.gz"}) {
    INFO(name);
    std::uint64_t state = 1;
    std::uint64_t fed = 0;
    bool stopped = false;
    const std::string path = temp_path(name);
    auto writer = TraceWriter::open(path, kLimit);
    REQUIRE(writer.ok());
    for (; fed < 2'000'000 && !stopped; ++fed) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // hard to compress
      const std::uint64_t at = kNow + fed * 100'000 + (state >> 50);
      (*writer)->consume(
          kernel(static_cast<std::uint32_t>(state >> 32), at, at + (state >> 48)).header);
      stopped = (*writer)->stopped();
    }
    REQUIRE(stopped);
    (*writer)->consume(kernel(1, kNow, kNow + 1).header);
    REQUIRE((*writer)->close().ok());
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    CHECK(static_cast<std::uint64_t>(file.tellg()) <= kLimit);
    const Json trace = Json::parse(read_gzip(path));
    unlink(path.c_str());
    CHECK(trace["gapscope"]["stopped_at_limit"] == true);
    CHECK(trace["gapscope"]["stopped_at_ns"].get<std::uint64_t>() > kNow);
    const Json last = events_of(trace, "gapscope", "i");
    REQUIRE(last.size() == 1);
    CHECK(last[0]["name"].get<std::string>().find("stops here") != std::string::npos);
    CHECK(events_of(trace, "kernel").size() == fed - 1);
  }
}

TEST_CASE("a trace that cannot be written is an error that names it") {
  const auto writer = TraceWriter::open("/nowhere/t.json", kNoLimit);
  REQUIRE_FALSE(writer.ok());
  CHECK(std::string(writer.status().message()).find("the trace /nowhere/t.json") !=
        std::string::npos);
  auto full = TraceWriter::open("/dev/full", kNoLimit);
  REQUIRE(full.ok());
  CHECK_FALSE((*full)->close().ok());
}

TEST_CASE("records that cannot be are left out of a trace") {
  const Json trace = trace_of("odd.json", kNoLimit, [](TraceWriter& w) {
    w.consume(kernel(1, 5, 4).header);
    w.consume(kernel(1, ~0ull, ~0ull).header);
    auto k = kernel(1, kNow, kNow + 1);
    k.device = 1'000'000;
    w.consume(k.header);
    RecordHeader small{4, RecordKind::kernel, 0, 0};
    w.consume(small);
  });
  CHECK(trace["traceEvents"].empty());
}

TEST_CASE("range stacks are bounded and stay balanced") {
  TraceRanges ranges;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    CHECK_FALSE(ranges.add(mark(MarkKind::range_push, kNow + i, i + 1)));
  }
  std::size_t closed = 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto range = ranges.add(mark(MarkKind::range_pop, kNow + 5000, 0));
    if (!range) continue;
    ++closed;
    last = range->name_id;
  }
  CHECK(closed == TraceRanges::kMaxDepth);
  CHECK(last == 1);
}

}  // namespace
}  // namespace gapscope::sink
