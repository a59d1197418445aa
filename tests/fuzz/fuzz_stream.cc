// Bytes as what a program did and how its records came: a little language in which a few bytes make
// plausible launches, operations, waits, marks and ticks, so that the fuzzer gets past the checks
// that single records meet. In any order, with any of them missing, at any time: reports add up.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../unit/analysis_stream.h"
#include "../unit/report_invariants.h"
#include "fuzz_check.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

class Stream {
 public:
  Stream(const std::uint8_t* data, std::size_t size) : data_(data), size_(size), fed_(options()) {
    for (std::uint32_t i = 0; i < kNames; ++i) {
      fed_.add(string_def(10 + i, "ProfilerStep#" + std::to_string(i)));
    }
  }
  void run() {
    while (size_ > 0) one();
    check();
    fed_.finish(now_);
    check();
  }

 private:
  static constexpr std::uint32_t kNames = 8;

  // At the end of the input everything is 0.
  std::uint32_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  // Any magnitude, small ones most likely.
  std::uint64_t span() {
    const std::uint32_t b = byte();
    return (std::uint64_t{1 + b % 16}) << (b / 16 * 3 % 48);
  }
  // Near the present, before or after.
  std::uint64_t time() {
    const std::uint32_t b = byte();
    const std::uint64_t off = (std::uint64_t{b % 16}) << (b / 32 * 4);
    return b % 32 < 16 ? now_ + off : now_ - std::min(now_, off);
  }
  std::uint32_t id() { return byte() % 64; }
  Place place() {
    const std::uint32_t b = byte();
    Place at;
    at.device = b % 4 == 3 ? 63 : b % 2;
    at.context = 1 + b / 4 % 3;
    at.stream = b / 16 % 4;
    at.handle = at.stream * 10;
    at.thread = b / 64;
    return at;
  }
  AnalysisOptions options() {
    AnalysisOptions options;
    const std::uint32_t b = byte();
    options.max_pending = b % 2 == 0 ? 16 : 1u << 20;
    options.max_kernel_names = 1 + b / 2 % 8;
    options.capture.mode = static_cast<CaptureSpec::Mode>(b / 16 % 4);
    options.capture.first = b / 64;
    options.capture.last = b % 8 == 7 ? ~0ull : b;
    return options;
  }

  void one() {
    const std::uint32_t what = byte();
    switch (what % 16) {
      case 0:
      case 1:
        return whole_launch();
      case 2:
        return add_launch();
      case 3:
        return add_operation(what / 16);
      case 4:
        return add_call();
      case 5:
        return add_sync(what / 16);
      case 6:
        return add_graph(1 + what / 16);
      case 7:
      case 8:
        return add_mark();
      case 9:
      case 10:
        return add_tick(what / 16);
      case 11:
        now_ += span();
        return;
      case 12:
        now_ -= std::min(now_ - 1, what / 16 == 0 ? span() : 0);
        return;
      case 13:
        return add_host(what / 16);
      case 14:
        return add_quality(what / 16);
      default:
        return check();
    }
  }
  void whole_launch() {
    const std::uint32_t i = id();
    const Place at = place();
    const std::uint64_t start = now_ + span();
    const std::uint64_t end = start + span();
    fed_.add(launch(i, now_, now_ + 5, at)).add(kernel(i, start, end, 1 + i % 3, at));
    now_ += 10;
  }
  void add_launch() {
    const std::uint32_t i = id();
    const std::uint64_t start = time();
    const std::uint64_t end = start + span();
    const Place at = place();
    fed_.add(launch(i, start, end, at, static_cast<std::uint8_t>(byte() % 8)));
  }
  void add_operation(std::uint32_t kind) {
    const std::uint32_t i = id();
    const std::uint64_t start = time();
    const std::uint64_t end = start + (kind % 8 == 0 ? 0 : span());
    const Place at = place();
    if (kind < 8) return void(fed_.add(kernel(i, start, end, 1 + kind, at)));
    if (kind < 12) return void(fed_.add(copy(i, start, end, span(), at)));
    if (kind < 14) return void(fed_.add(set(i, start, end, at)));
    auto r = make_record<UntimedRecord>();
    r.header.flags = static_cast<std::uint8_t>(kind % 2);
    r.start_ns = start;
    r.correlation_id = i;
    r.context = at.context;
    fed_.add(r);
  }
  void add_call() {
    const auto api = static_cast<ApiId>(byte() % static_cast<std::uint32_t>(ApiId::count_));
    const auto expects = static_cast<Expects>(byte() % 4);
    const std::uint32_t i = id();
    const std::uint64_t start = time();
    const std::uint64_t end = start + span();
    const Place at = place();
    fed_.add(call(api, i, start, end, expects, at, static_cast<std::uint8_t>(byte() % 8)));
  }
  void add_sync(std::uint32_t kind) {
    const std::uint64_t start = time();
    const ApiId api = kind % 2 == 0 ? ApiId::stream_synchronize : ApiId::context_synchronize;
    const std::uint64_t end = start + span();
    fed_.add(call(api, 0, start, end, Expects::none, place()));
  }
  void add_graph(std::uint32_t nodes) {
    const std::uint32_t i = id();
    const Place at = place();
    fed_.add(call(ApiId::graph_launch, i, now_, now_ + 10, Expects::many, at));
    std::uint64_t start = now_ + span();
    const std::uint64_t length = span();
    for (std::uint32_t node = 0; node < nodes; ++node, start += 2 * length) {
      KernelRecord k = kernel(i, start, start + length, 1 + node % 3, at);
      k.graph_id = 1 + i % 4;
      fed_.add(k);
    }
  }
  void add_mark() {
    const std::uint32_t b = byte();
    const std::uint64_t at = time();
    MarkRecord r = mark(static_cast<MarkKind>(b % 9), at, b / 16 % 2);
    const std::uint32_t name = byte();
    r.name_id = name % 16 < 12 ? 8 + name % 16 : kNoString;
    r.range_id = name / 16;
    r.domain_id = b / 128 == 0 ? kNoString : 10;
    fed_.add(r);
  }
  void add_tick(std::uint32_t kind) {
    const std::uint64_t floor = kind % 2 == 0 ? now_ : time();
    const std::uint64_t flushed = kind % 4 < 2 ? now_ : time();
    fed_.add(tick(kind == 15 ? TickKind::draining : TickKind::flushed, now_, floor, flushed));
  }
  void add_host(std::uint32_t kind) {
    const std::uint64_t start = time();
    const std::uint64_t end = start + span();
    if (kind < 6) {
      auto r = make_record<OverheadRecord>();
      r.start_ns = start;
      r.end_ns = end;
      r.type = static_cast<OverheadType>(byte() % 11);
      r.os_thread_id = byte() % 3;
      fed_.add(r);
    } else if (kind < 12) {
      auto r = make_record<ThreadSampleRecord>(byte() % 4);
      r.begin_ns = start;
      r.end_ns = end;
      r.on_cpu_ns = span();
      r.os_thread_id = 1 + byte() % 3;
      r.wait_id = r.waits_for = r.waits_for_name_id = kNoString;
      r.state = byte() % 2 == 0 ? 'R' : 'S';
      fed_.add(r);
    } else if (kind < 14) {
      auto r = make_record<GcRecord>();
      r.start_ns = start;
      r.end_ns = end;
      fed_.add(r);
    } else {
      auto r = make_record<ThreadInfoRecord>(byte() % 4);
      r.os_thread_id = 1 + byte() % 3;
      r.name_id = 10;
      fed_.add(r);
    }
  }
  void add_quality(std::uint32_t kind) {
    if (kind < 4) {
      auto r = make_record<LostRecord>();
      r.header.flags = static_cast<std::uint8_t>(kind % 2);
      r.count = span();
      fed_.add(r);
    } else if (kind < 8) {
      auto r = make_record<DataQualityRecord>();
      r.dropped_cupti = span();
      fed_.add(r);
    } else {
      auto r = make_record<ClockStepRecord>();
      r.step_ns = static_cast<std::int64_t>(span()) * (kind % 2 == 0 ? 1 : -1);
      fed_.add(r);
    }
  }
  void check() {
    fed_.analysis.outstanding();
    const report::Report report = fed_.analysis.report();
    for (const std::string& broken : report_violations(report)) {
      std::fprintf(stderr, "%s\n", broken.c_str());
      fuzz::require(false, "a report that does not hold");
    }
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::uint64_t now_ = 1'000'000'000;
  Fed fed_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Stream(data, size).run();
  return 0;
}
