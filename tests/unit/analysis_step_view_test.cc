// The steps that are kept in full: which ones, and what is in them.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/step_choice.h"
#include "analysis/step_entries.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

namespace gapscope::test {
namespace {

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1'000'000;

std::shared_ptr<const KeptStep> step_of(std::int64_t index, std::int64_t length_ns) {
  return std::make_shared<const KeptStep>(KeptStep{index, 0, length_ns, {}});
}

// Steps of these lengths in turn; returns the chooser after the last.
StepChoice choose(const std::vector<std::int64_t>& lengths) {
  StepChoice choice;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    choice.keep(choice.judge(lengths[i]), step_of(static_cast<std::int64_t>(i), lengths[i]));
  }
  return choice;
}

// Marked steps: a launch, a copy on a second stream, a wait; then the CPU thinks for some time.
class Program {
 public:
  Program() { fed.add(string_def(60, "python")); }
  void mark() { fed.add(test::mark(MarkKind::step, now)); }
  void step(std::uint64_t think_ns, int kernels = 1) {
    mark();
    now += think_ns;
    for (int k = 0; k < kernels; ++k) {
      fed.add(launch(++id, now, now + 4 * kUs));
      fed.add(kernel(id, now + 5 * kUs, now + 105 * kUs));
      now += 110 * kUs;
    }
    const Place side{0, 1, 9, 90, 0};
    fed.add(call(ApiId::memcpy_htod_async, ++id, now, now + 3 * kUs, Expects::one, side));
    fed.add(copy(id, now + 5 * kUs, now + 25 * kUs, 4096, side));
    fed.add(sync(now + 4 * kUs, now + 30 * kUs));
    now += 40 * kUs;
    if (id % 50 == 0) fed.add(tick(now - 40 * kUs));
  }
  report::Report finish() {
    mark();
    const report::Report report = fed.finish(now + kMs);
    REQUIRE_REPORT_HOLDS(report);
    return report;
  }
  Fed fed;
  std::uint64_t now = 1000 * kMs;
  std::uint32_t id = 0;
};

const report::StepView::Track* track(const report::StepView& step, const std::string& name) {
  const auto found = std::find_if(step.tracks.begin(), step.tracks.end(),
                                  [&](const auto& t) { return t.name == name; });
  return found == step.tracks.end() ? nullptr : &*found;
}

// "gemm_kernel compute 100000; " ...: what a track did, and how long.
std::string words(const report::StepView& step, const report::StepView::Track& track) {
  std::string out;
  for (std::size_t i = 0; i < track.at_ns.size(); ++i) {
    const auto& name = step.names.at(static_cast<std::size_t>(track.names[i]));
    out += name.name + " " + name.kind + " " + std::to_string(track.length_ns[i]) + "; ";
  }
  return out;
}

}  // namespace

TEST_CASE("step choice: the longest step and one near the median, whatever comes when") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> lengths;
    const int steps = 1 + static_cast<int>(random() % 3000);
    for (int i = 0; i < steps; ++i) {
      const bool slow = random() % 50 == 0;
      lengths.push_back(static_cast<std::int64_t>(900'000 + random() % 200'000) * (slow ? 5 : 1));
    }
    const StepChoice choice = choose(lengths);
    const auto longest = std::max_element(lengths.begin(), lengths.end());
    CHECK(choice.longest()->index == longest - lengths.begin());
    std::vector<std::int64_t> sorted = lengths;
    std::sort(sorted.begin(), sorted.end());
    const auto median = static_cast<double>(sorted[(sorted.size() - 1) / 2]);
    const auto kept = static_cast<double>(choice.nearest()->end_ns);
    CAPTURE(steps, median, kept);
    CHECK(std::abs(kept - median) <= (steps < 300 ? 0.1 : 0.02) * median);
  }
  // Steps that become longer once: what was near the median then does not stay.
  std::vector<std::int64_t> lengths(100, 1'000'000);
  lengths.insert(lengths.end(), 300, 1'500'000);
  CHECK(choose(lengths).nearest()->end_ns == 1'500'000);
}

TEST_CASE("step view: the longest step as it ran, idle time by cause and to the nanosecond") {
  Program program;
  for (int i = 0; i < 100; ++i) program.step(i == 70 ? 5 * kMs : 200 * kUs);
  const report::Report report = program.finish();
  REQUIRE(report.steps.worst_step);
  const report::StepView& worst = *report.steps.worst_step;
  CHECK(worst.index == 70);
  CHECK(worst.length_ns == 5'150'000);
  CHECK(worst.left_out == 0);
  REQUIRE(worst.tracks.size() == 4);
  CHECK(words(worst, *track(worst, "GPU 0 stream 7")) == "gemm_kernel compute 100000; ");
  CHECK(words(worst, *track(worst, "GPU 0 stream 9")) == "memcpy HtoD copy 20000; ");
  const report::StepView::Track& thread = worst.tracks.back();
  CHECK(words(worst, thread) ==
        "cudaLaunchKernel call 4000; cuMemcpyHtoDAsync call 3000; "
        "cudaStreamSynchronize blocking call 26000; ");
  // What is idle and what is busy make up the step, which begins and ends in gaps.
  const report::StepView::Track& idle = *track(worst, "GPU 0 idle");
  std::int64_t idle_ns = 0, end_ns = 0;
  for (std::size_t i = 0; i < idle.at_ns.size(); ++i) {
    CHECK(idle.at_ns[i] >= end_ns);
    end_ns = idle.at_ns[i] + idle.length_ns[i];
    idle_ns += idle.length_ns[i];
  }
  CHECK(idle.at_ns.front() == 0);
  CHECK(end_ns == worst.length_ns);
  CHECK(idle_ns == worst.length_ns - 120'000);
  REQUIRE(report.steps.median_step);
  CHECK(report.steps.median_step->length_ns == 350'000);
}

TEST_CASE("step view: threads and contexts are told apart by name") {
  Program program;
  auto info = make_record<ThreadInfoRecord>(0);
  info.os_thread_id = 4711;
  info.name_id = 60;
  program.fed.add(info);
  for (int i = 0; i < 30; ++i) {
    program.step(300 * kUs);
    const Place other{0, 2, 7, 70, 3};
    program.fed.add(launch(++program.id, program.now - 30 * kUs, program.now - 28 * kUs, other));
    program.fed.add(kernel(program.id, program.now - 12 * kUs, program.now + 8 * kUs, 2, other));
  }
  const report::Report report = program.finish();
  REQUIRE(report.steps.median_step);
  const report::StepView& step = *report.steps.median_step;
  REQUIRE(track(step, "thread 4711 python") != nullptr);
  REQUIRE(track(step, "GPU 0 context 1 stream 7") != nullptr);
  // The kernel before it reaches into the step, the last one out of it.
  CHECK(words(step, *track(step, "GPU 0 context 2 stream 7")) ==
        "relu_kernel compute 8000; relu_kernel compute 12000; ");
  CHECK(track(step, "GPU 0 context 2 stream 7")->at_ns.front() == 0);
}

TEST_CASE("step view: what one step keeps is bounded, and what is left out counted") {
  Program program;
  for (int i = 0; i < 20; ++i) program.step(100 * kUs, i == 15 ? 8000 : 1);
  const report::Report report = program.finish();
  REQUIRE(report.steps.worst_step);
  const report::StepView& worst = *report.steps.worst_step;
  CHECK(worst.index == 15);
  std::size_t operations = 0;
  for (const char* name : {"GPU 0 stream 7", "GPU 0 stream 9"}) {
    if (const auto* t = track(worst, name)) operations += t->at_ns.size();
  }
  CHECK(operations == StepEntries::kMost);
  CHECK(worst.tracks.back().at_ns.size() == StepEntries::kMost);
  CHECK(track(worst, "GPU 0 idle")->at_ns.size() == StepEntries::kMost);
  // 8,001 operations, 8,002 calls, and an idle stretch before each operation and at the end.
  CHECK(worst.left_out >= 3001 + 3002 + 3000);
  CHECK(worst.left_out <= 3001 + 3002 + 3010);
}

TEST_CASE("step view: without steps there is none, and warm-up is not shown for a steady state") {
  Program idle;
  idle.now += 10 * kMs;
  const report::Report none = idle.fed.run(1, 1000, 2000, 3000).finish(10'000);
  CHECK_FALSE(none.steps.worst_step);
  CHECK_FALSE(none.steps.median_step);
  Program program;
  program.step(80 * kMs);  // the first, longest step is warm-up
  for (int i = 0; i < 60; ++i) program.step(i == 30 ? 900 * kUs : 200 * kUs);
  const report::Report report = program.finish();
  REQUIRE(report.steady);
  REQUIRE(report.steps.worst_step);
  CHECK(report.steps.worst_step->index == 31);
}

}  // namespace gapscope::test
