// Whole programs, as users of such tools reported them: what they were told then, they must not be
// told here.
#include <algorithm>
#include <string>

#include "analysis/ranges_history.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report/report_json.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1000 * kUs;

// One training or serving loop, written record by record; times run on from one part to the next.
class Loop {
 public:
  explicit Loop(const AnalysisOptions& options = {}) : fed_(options) {
    auto info = make_record<ThreadInfoRecord>(0);
    info.os_thread_id = kOsThread;
    fed_.add(info);
  }
  // A kernel is launched, and runs when its call has returned.
  Loop& kernel(std::uint64_t ns) {
    const std::uint64_t begin = std::max(now_ + 3 * kUs, busy_until_);
    busy_until_ = begin + ns;
    fed_.run(++id_, now_, begin, busy_until_);
    now_ += 4 * kUs;
    return *this;
  }
  Loop& replay(std::uint32_t nodes, std::uint64_t node_ns) {
    ++id_;
    fed_.add(call(ApiId::graph_launch, id_, now_, now_ + 20 * kUs, Expects::many));
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const std::uint64_t begin = std::max(now_ + 8 * kUs, busy_until_);
      fed_.add(test::kernel(id_, begin, begin + node_ns, 1 + i % 2));
      busy_until_ = begin + node_ns;
    }
    now_ += 20 * kUs;
    return *this;
  }
  Loop& wait() {
    const std::uint64_t until = std::max(busy_until_, now_) + 2 * kUs;
    fed_.add(sync(now_, until));
    now_ = until;
    return *this;
  }
  Loop& host_call(ApiId api, std::uint64_t ns) {
    fed_.add(call(api, 0, now_, now_ + ns, Expects::none));
    now_ += ns;
    return *this;
  }
  // The thread runs there, as the sampler sees it every 2 ms.
  Loop& python(std::uint32_t frame, std::uint64_t ns) {
    const std::uint64_t end = now_ + ns;
    while (now_ < end) {
      const std::uint64_t until = std::min(now_ + 2 * kMs, end);
      sample(frame, until);
      now_ = until;
    }
    return *this;
  }
  Loop& collection(std::uint64_t ns) {
    auto r = make_record<GcRecord>(0);
    r.start_ns = now_;
    r.end_ns = now_ + ns;
    r.generation = 2;
    fed_.add(r);
    now_ += ns;
    return *this;
  }
  Loop& step() {
    fed_.add(mark(MarkKind::step, now_));
    return *this;
  }
  Loop& range(MarkKind kind, std::uint32_t name = kNoString) {
    auto r = mark(kind, now_);
    r.name_id = name;
    fed_.add(r);
    return *this;
  }
  Loop& passes(std::uint64_t ns) {
    now_ += ns;
    return *this;
  }
  Loop& told(std::uint32_t id, const std::string& text) {
    fed_.add(string_def(id, text));
    return *this;
  }
  // All before now is known.
  Loop& tick() {
    fed_.add(test::tick(now_));
    return *this;
  }
  report::Report finish() {
    report::Report report = fed_.finish(now_ + kMs);
    REQUIRE_REPORT_HOLDS(report);
    return report;
  }
  std::size_t table_entries() const { return fed_.analysis.table_entries(); }

 private:
  static constexpr std::uint32_t kOsThread = 77;

  void sample(std::uint32_t frame, std::uint64_t until) {
    auto r = make_record<ThreadSampleRecord>(0);
    r.begin_ns = now_;
    r.end_ns = until;
    r.on_cpu_ns = until - now_;
    r.os_thread_id = kOsThread;
    r.state = 'R';
    r.wait_id = kNoString;
    r.waits_for = kNoThread;
    r.waits_for_name_id = kNoString;
    r.frame_count = 1;
    r.header.size_bytes = sizeof r + 8;
    Bytes bytes((sizeof r + 8) / 8);
    std::memcpy(bytes.data(), &r, sizeof r);
    std::memcpy(reinterpret_cast<char*>(bytes.data()) + sizeof r, &frame, sizeof frame);
    fed_.add(bytes);
  }

  Fed fed_;
  std::uint64_t now_ = 1000 * kMs;
  std::uint64_t busy_until_ = 0;
  std::uint32_t id_ = 0;
};

std::int64_t idle_of(const report::Scope& scope, const std::string& cause) {
  for (const report::Cause& entry : scope.devices[0].causes) {
    if (entry.cause == cause) return entry.idle_ns;
  }
  return 0;
}

bool names(const report::Scope& scope, const std::string& cause, const std::string& word) {
  for (const report::Cause& entry : scope.devices[0].causes) {
    if (entry.cause != cause) continue;
    for (const auto& e : entry.evidence) {
      if (e.text.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

// sglang#5593: a bubble before each replay of the decode graph, and nothing said why.
TEST_CASE("reports: the bubble before a graph replay has a cause, whatever its length") {
  constexpr std::uint32_t kScheduler = 50;
  for (const std::uint64_t bubble_ns : {8 * kMs, 30 * kUs}) {
    INFO("bubble of " << bubble_ns << " ns");
    Loop loop;
    loop.told(kScheduler, "/srv/sglang/scheduler.py:process_batch_result:88");
    for (int i = 0; i < 200; ++i) {
      loop.replay(50, 20 * kUs).wait();
      // Too short a time for a sample: the calls alone tell.
      if (bubble_ns < kMs) {
        loop.passes(bubble_ns);
      } else {
        loop.python(kScheduler, bubble_ns);
      }
      loop.tick();
    }
    const report::Report report = loop.replay(50, 20 * kUs).wait().finish();
    const report::Device& device = report.whole.devices[0];
    const auto idle = static_cast<double>(device.time.idle_ns);
    CHECK(idle >= 200 * 0.99 * static_cast<double>(bubble_ns));
    CHECK(static_cast<double>(idle_of(report.whole, "unattributed")) <= 0.01 * idle);
    for (const auto& gap : device.gaps.longest) {
      INFO(gap.before << " -> " << gap.after << ": " << gap.cause);
      CHECK_FALSE(gap.cause.empty());
      CHECK(gap.cause != "unattributed");
    }
    if (bubble_ns < kMs) continue;
    CHECK(static_cast<double>(idle_of(report.whole, "host, other")) >= 0.95 * idle);
    CHECK(names(report.whole, "host, other", "scheduler.py:process_batch_result"));
  }
}

// pytorch/pytorch#97783: the first epoch was slow, and nobody could see that it compiled and
// loaded.
TEST_CASE("reports: compiling and loading in the first steps are named, and are no steady state") {
  constexpr std::uint32_t kDynamo = 60, kTrain = 61;
  constexpr std::uint64_t kCompilesMs[] = {2000, 700, 300, 100};
  Loop loop;
  loop.told(kDynamo, "/s/torch/_dynamo/convert_frame.py:_compile:500");
  loop.told(kTrain, "/home/me/train.py:batch:12");
  for (int i = 0; i < 40; ++i) {
    loop.step();
    if (i < 4) loop.python(kDynamo, kCompilesMs[i] * kMs).host_call(ApiId::library_load, 50 * kMs);
    for (int k = 0; k < 10; ++k) loop.kernel(500 * kUs);
    loop.wait().python(kTrain, 4 * kMs).tick();
  }
  const report::Report report = loop.step().kernel(kUs).finish();
  // The first step's is before the first operation: lead-in.
  const std::string compilation = "compilation, module loading";
  CHECK(static_cast<double>(idle_of(report.whole, compilation)) == Approx(1250e6).epsilon(0.02));
  CHECK(names(report.whole, compilation, "convert_frame.py:_compile"));
  CHECK(names(report.whole, compilation, "cuLibraryLoadData"));
  // Three steps that are alike end it.
  CHECK(report.steps.warmup_steps >= 4);
  CHECK(report.steps.warmup_steps <= 7);
  CHECK(report.warmup_ns >= static_cast<std::int64_t>(1250 * kMs));
  REQUIRE(report.steady);
  CHECK(idle_of(*report.steady, compilation) == 0);
  CHECK(report.steps.time.max_ns < static_cast<std::int64_t>(20 * kMs));
}

namespace {

// A training of so many steps: ranges, copies, collections, gaps of many lengths.
struct Size {
  std::size_t report_bytes;
  std::size_t table_entries;
  std::int64_t operations;
};

Size size_after(int steps) {
  Loop loop;
  for (std::uint32_t i = 0; i < 5; ++i) {
    loop.told(70 + i, "/home/me/train.py:part" + std::to_string(i) + ":1");
  }
  loop.told(80, "Forward");
  for (int i = 0; i < steps; ++i) {
    loop.step();
    const auto n = static_cast<std::uint32_t>(i);
    // A name of its own each, as ProfilerStep#1, #2, ...
    loop.told(1000 + n, "Step#" + std::to_string(i));
    loop.range(MarkKind::range_push, 1000 + n).range(MarkKind::range_push, 80);
    for (std::uint32_t k = 0; k < 3; ++k) loop.kernel((10 + n % 50) * kUs);
    loop.range(MarkKind::range_pop).wait().python(70 + n % 5, (100 + 300 * (n % 7)) * kUs);
    if (i % 20 == 0) loop.collection(10 * kMs);
    loop.range(MarkKind::range_pop).tick();
  }
  const std::size_t entries = loop.table_entries();
  const report::Report report = loop.step().kernel(kUs).finish();
  return {report::to_json(report).size(), entries, report.whole.devices[0].operations};
}

}  // namespace

// HTA#250, xprof#265, prismaquant#899.
TEST_CASE("reports: neither the report nor memory grows with the length of the run") {
  const Size early = size_after(4'000), late = size_after(40'000);
  REQUIRE(late.operations > 9 * early.operations);
  // Numbers get one more digit.
  CHECK(late.report_bytes < early.report_bytes + early.report_bytes / 10);
  CHECK(late.report_bytes < 256u << 10);
  // Of the ranges' past a fixed number of transitions is kept, with a range for every two.
  constexpr std::size_t kPast = RangeHistory::kMaxTransitions * 3 / 2;
  CHECK(late.table_entries <= kPast + early.table_entries / 10);
}

}  // namespace gapscope::test
