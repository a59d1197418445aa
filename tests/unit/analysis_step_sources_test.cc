// Where steps come from, what they make of the run, and what made one slow.
#include <string>

#include "analysis/step_contents.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report/per_step.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

GcRecord collection(std::uint64_t start_ns, std::uint64_t end_ns) {
  auto r = make_record<GcRecord>();
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.generation = 2;
  return r;
}

MarkRecord range(MarkKind kind, std::uint64_t time_ns, std::uint32_t name_id = kNoString) {
  MarkRecord r = mark(kind, time_ns);
  r.name_id = name_id;
  return r;
}

// A program that runs steps of ten kernels of 0.1 ms after a pause of 1 ms, launched just before
// they run.
class Program {
 public:
  explicit Program(const AnalysisOptions& options = {}) : fed(options) {
    for (std::uint32_t k = 0; k < 10; ++k) {
      fed.add(string_def(100 + k, "layer" + std::string(1, static_cast<char>('a' + k))));
    }
  }
  // longer_ns: of the pause.
  void step(std::uint64_t longer_ns = 0) {
    now += kMs + longer_ns;
    for (std::uint32_t k = 0; k < 10; ++k) {
      fed.run(++id, now, now + 5000, now + 100'000, 100 + k);
      now += 100'000;
    }
  }
  report::Report finish() {
    report::Report report = fed.finish(now + kMs);
    REQUIRE_REPORT_HOLDS(report);
    return report;
  }
  Fed fed;
  std::uint64_t now = 1000 * kMs;
  std::uint32_t id = 0;
};

std::int64_t window_ns(const report::Report& report) {
  return report::shown_scope(report).devices.at(0).time.window_ns;
}

}  // namespace

TEST_CASE("step sources: iterations are found where nothing is marked") {
  Program program;
  for (int i = 0; i < 60; ++i) program.step();
  const report::Report report = program.finish();
  CHECK(report.steps.source == "detected");
  CHECK(static_cast<double>(report.steps.time.p50_ns) == Approx(2e6).epsilon(0.01));
  REQUIRE(report.steady);
  CHECK(report.steps.time.count >= 20);
  CHECK(report.steps.warmup_steps + report.steps.time.count <= 60);
  CHECK(report.steps.warmup_steps + report.steps.time.count >= 58);
  // The steps fill the window that is shown, and their mean is the figure per step.
  const double steps = report::steps_shown(report);
  REQUIRE(steps > 0);
  CHECK(static_cast<double>(window_ns(report)) / steps == Approx(2e6).epsilon(0.01));
}

TEST_CASE("step sources: a mark voids what was found, a range loses against marks") {
  Program program;
  program.fed.add(string_def(50, "ProfilerStep#12"));
  for (int i = 0; i < 40; ++i) program.step();
  for (int i = 0; i < 30; ++i) {
    program.fed.add(range(MarkKind::range_push, program.now, 50));
    program.step();
    program.fed.add(range(MarkKind::range_pop, program.now));
  }
  SECTION("ranges") {
    const report::Report report = program.finish();
    CHECK(report.steps.source == "range ProfilerStep#");
    REQUIRE(report.steady);
    CHECK(report.steps.warmup_steps + report.steps.time.count == 30);
    CHECK(report.steady->devices.at(0).operations == 10 * report.steps.time.count);
    CHECK(report.whole.devices.at(0).operations == 700);
    REQUIRE(report.whole.ranges.size() == 1);
    CHECK(report.whole.ranges[0].calls == 30);
    CHECK(report.whole.ranges[0].kernels == 300);
    CHECK(report.whole.ranges[0].device_union_ns == 300 * 95'000);
  }
  SECTION("then marks") {
    for (int i = 0; i < 20; ++i) {
      program.fed.add(mark(MarkKind::step, program.now));
      program.fed.add(range(MarkKind::range_push, program.now + 1, 50));
      program.step();
      program.fed.add(range(MarkKind::range_pop, program.now - 1));
    }
    program.fed.add(mark(MarkKind::step, program.now));
    const report::Report report = program.finish();
    CHECK(report.steps.source == "marked");
    CHECK(report.steps.warmup_steps + report.steps.time.count == 20);
    REQUIRE(report.steady);
    CHECK(report.steady->devices.at(0).operations == 10 * report.steps.time.count);
  }
}

TEST_CASE("step sources: GAPSCOPE_STEP_RANGE names another range") {
  AnalysisOptions options;
  options.step_range = "train";
  Program program(options);
  program.fed.add(string_def(50, "train, seq = 7"));
  program.fed.add(string_def(51, "ProfilerStep#1"));
  for (int i = 0; i < 10; ++i) {
    program.fed.add(range(MarkKind::range_push, program.now, i % 2 == 0 ? 50 : 51));
    program.step();
    program.fed.add(range(MarkKind::range_pop, program.now));
  }
  const report::Report report = program.finish();
  CHECK(report.steps.source == "range train");
  CHECK(report.steps.warmup_steps + report.steps.time.count == 5);
}

// Left open by an exception, or because the record of its pop was lost.
TEST_CASE("step sources: a step whose range is never popped ends where the next one begins") {
  Program program;
  for (std::uint32_t i = 0; i < 20; ++i) {
    program.fed.add(string_def(200 + i, "ProfilerStep#" + std::to_string(i)));
  }
  program.fed.add(string_def(50, "forward"));
  const bool inside = GENERATE(false, true);  // a range within it stays open instead
  for (std::uint32_t i = 0; i < 20; ++i) {
    program.fed.add(range(MarkKind::range_push, program.now, 200 + i));
    program.fed.add(range(MarkKind::range_push, program.now + 1, 50));
    program.step();
    if (i != 5 || !inside) program.fed.add(range(MarkKind::range_pop, program.now - 1));
    if (i != 5) program.fed.add(range(MarkKind::range_pop, program.now));
  }
  const report::Report report = program.finish();
  CHECK(report.steps.source == "range ProfilerStep#");
  CHECK(report.steps.warmup_steps + report.steps.time.count == 20);
  REQUIRE(report.whole.ranges.size() == 40);
  for (std::size_t i = 0; i < 20; ++i) {  // none of them below the one that was left open
    const std::string path = "ProfilerStep#" + std::to_string(i);
    CHECK(report.whole.ranges[2 * i].path == path);
    CHECK(report.whole.ranges[2 * i + 1].path == path + "/forward");
    CHECK(report.whole.ranges[2 * i + 1].kernels == 10);
  }
}

TEST_CASE("step sources: a started step range that is never ended ends with the next one") {
  Program program;
  for (std::uint32_t i = 0; i < 12; ++i) {
    program.fed.add(string_def(200 + i, "ProfilerStep#" + std::to_string(i)));
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    MarkRecord begin = range(MarkKind::range_start, program.now, 200 + i);
    begin.range_id = i + 1;
    program.fed.add(begin);
    program.step();
    if (i == 4) continue;
    MarkRecord end = range(MarkKind::range_end, program.now);
    end.range_id = i + 1;
    program.fed.add(end);
  }
  const report::Report report = program.finish();
  CHECK(report.steps.warmup_steps + report.steps.time.count == 12);
}

TEST_CASE("step sources: numbered ranges nested in one of the same name are no steps") {
  AnalysisOptions options;
  options.step_range = "step #";
  Program program(options);
  for (std::uint32_t i = 0; i < 20; ++i) {
    program.fed.add(string_def(200 + i, "step #" + std::to_string(i)));
  }
  for (std::uint32_t i = 0; i < 15; ++i) {
    program.fed.add(range(MarkKind::range_push, program.now, 200 + i));
    for (std::uint32_t micro = 0; micro < 4; ++micro) {
      program.fed.add(range(MarkKind::range_push, program.now, 200 + micro));
      program.step();
      program.fed.add(range(MarkKind::range_pop, program.now));
    }
    program.fed.add(range(MarkKind::range_pop, program.now));
  }
  const report::Report report = program.finish();
  CHECK(report.steps.warmup_steps + report.steps.time.count == 15);
}

TEST_CASE("step sources: the worst step is told with its cause") {
  Program program;
  for (int i = 0; i < 40; ++i) {
    program.fed.add(mark(MarkKind::step, program.now));
    if (i == 33) program.fed.add(collection(program.now + kMs, program.now + 4 * kMs));
    program.step(i == 33 ? 3 * kMs : 0);
  }
  program.fed.add(mark(MarkKind::step, program.now));
  const report::Report report = program.finish();
  CHECK(report.steps.worst_index == 33);
  CHECK(report.steps.worst_cause == "garbage collection");
  CHECK(report.steps.slow_period == 0);
}

TEST_CASE("step sources: what is slow again and again is no warm-up") {
  Program program;
  const int period = 5;
  for (int i = 0; i < 60; ++i) {
    program.fed.add(mark(MarkKind::step, program.now));
    const bool slow = i % period == period - 1;
    if (slow) program.fed.add(collection(program.now + kMs, program.now + 21 * kMs));
    program.step(slow ? 20 * kMs : 0);
  }
  program.fed.add(mark(MarkKind::step, program.now));
  const report::Report report = program.finish();
  REQUIRE(report.steady);
  CHECK(report.steps.time.count >= 40);
  CHECK(report.steps.slow_period == period);
  CHECK(report.steps.worst_cause == "garbage collection");
  CHECK(report.steady->devices.at(0).causes.at(0).cause == "garbage collection");
}

TEST_CASE("step sources: two steady steps of many are not shown as the run") {
  Program program;
  for (int i = 0; i < 8; ++i) {
    program.fed.add(mark(MarkKind::step, program.now));
    program.step(i < 6 ? (i % 2) * 50 * kMs : 0);
  }
  program.fed.add(mark(MarkKind::step, program.now));
  const report::Report report = program.finish();
  CHECK_FALSE(report.steady);
  CHECK(report.steps.time.count == 8);
  CHECK(report.steps.warmup_steps == 0);
}

TEST_CASE("step sources: steps that do not fill the window give no figures per step") {
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.fed.add(mark(MarkKind::step, program.now));
    program.step();
  }
  program.fed.add(mark(MarkKind::step, program.now));
  for (int i = 0; i < 30; ++i) program.step();  // an evaluation, unmarked
  const report::Report report = program.finish();
  CHECK(report.steps.source == "marked");
  CHECK(report.steps.time.count > 0);
  CHECK(report::steps_shown(report) == 0);
}

TEST_CASE("step sources: inside GAPSCOPE_CAPTURE the chosen steps are the run") {
  AnalysisOptions options;
  options.capture.mode = CaptureSpec::Mode::steps;
  options.capture.first = 5;
  options.capture.last = 24;
  Program program(options);
  for (int i = 0; i < 40; ++i) {
    program.fed.add(mark(MarkKind::step, program.now));
    program.step();
  }
  program.fed.add(mark(MarkKind::step, program.now));
  const report::Report report = program.finish();
  CHECK_FALSE(report.steady);
  CHECK(report.steps.time.count == 20);
  CHECK(report.whole.devices.at(0).operations == 200);
  CHECK(static_cast<double>(window_ns(report)) / report::steps_shown(report) ==
        Approx(2e6).epsilon(0.01));
}

TEST_CASE("step contents: a gap over a mark is shared by time, a step waits for its gaps") {
  StepContents idle;
  const auto slice = [](std::int64_t ns) {
    CauseSlices slices;
    slices.push_back({Cause::host, ns, {}});
    return slices;
  };
  for (int i = 0; i < 10; ++i) {
    idle.mark(i * 1000, i > 0 ? std::optional<std::int64_t>(i - 1) : std::nullopt);
    idle.idle(i * 1000 + 100, i * 1000 + 200, slice(100));
  }
  idle.mark(10'000, 9);
  idle.mark(15'000, 10);
  // 4,000 ns of the step from 10,000 to 15,000, and 1,000 of the next one.
  idle.idle(11'000, 16'000, slice(5000));
  CHECK(idle.stats().count() == 11);
  const StepStats::Worst worst = idle.stats().worst();
  CHECK(worst.index == 10);
  CHECK(worst.cause == static_cast<std::size_t>(Cause::host));
  CHECK(worst.cause_above_median_ns == Approx(3900).margin(50));
  for (int i = 0; i < 1000; ++i) idle.mark(16'000 + i, 11 + i);
  CHECK(idle.held() <= StepContents::kMaxWaiting);
  CHECK(idle.stats().count() == 1011);
  idle.restart();
  CHECK(idle.stats().count() == 0);
}

}  // namespace gapscope::test
