// Steps from ranges, and what makes steps slow.
#include <random>
#include <vector>

#include "analysis/step_range.h"
#include "analysis/step_stats.h"
#include "catch.h"

using namespace gapscope;

namespace {

bool push(StepRange& range, std::int64_t at, std::uint32_t thread, std::string_view name) {
  return range.mark(MarkKind::range_push, at, thread, 0, name);
}
void pop(StepRange& range, std::int64_t at, std::uint32_t thread) {
  CHECK_FALSE(range.mark(MarkKind::range_pop, at, thread, 0, {}));
}

}  // namespace

TEST_CASE("step range: which names match") {
  const StepRange numbered("ProfilerStep#");
  CHECK(numbered.matches("ProfilerStep#0"));
  CHECK(numbered.matches("ProfilerStep#123, seq = 4"));
  CHECK_FALSE(numbered.matches("ProfilerStep#"));
  CHECK_FALSE(numbered.matches("ProfilerStep#1a"));
  CHECK_FALSE(numbered.matches("XProfilerStep#1"));
  const StepRange exact("Step");
  CHECK(exact.matches("Step"));
  CHECK_FALSE(exact.matches("Step 1"));
  CHECK_FALSE(exact.matches("step"));
  CHECK_FALSE(StepRange("").matches(""));
  CHECK(exact.source() == "range Step");
}

TEST_CASE("step range: a step begins with each outermost range of one thread") {
  StepRange range("Step");
  CHECK_FALSE(push(range, 0, 5, "Epoch"));
  CHECK(push(range, 1, 5, "Step"));
  CHECK_FALSE(push(range, 2, 5, "Step"));  // nested
  CHECK_FALSE(push(range, 2, 6, "Step"));  // another thread
  pop(range, 3, 6);
  pop(range, 3, 5);
  CHECK(range.last_end_ns() == kNever);
  pop(range, 4, 5);
  CHECK(range.last_end_ns() == 4);
  CHECK(push(range, 7, 5, "Step"));
  CHECK(range.last_end_ns() == kNever);
  pop(range, 9, 5);
  pop(range, 10, 5);  // Epoch's
  pop(range, 11, 5);  // nobody's
  CHECK(range.last_end_ns() == 9);
  CHECK(push(range, 12, 5, "Step"));
  CHECK(range.steps() == 3);
}

TEST_CASE("step range: started on one thread, ended on another") {
  StepRange range("Step");
  CHECK(range.mark(MarkKind::range_start, 1, 0, 42, "Step"));
  CHECK_FALSE(range.mark(MarkKind::range_end, 2, 1, 41, {}));
  CHECK(range.last_end_ns() == kNever);
  CHECK_FALSE(range.mark(MarkKind::range_end, 3, 1, 42, {}));
  CHECK(range.last_end_ns() == 3);
  CHECK(range.mark(MarkKind::range_start, 4, 0, 43, "Step"));
  CHECK(range.steps() == 2);
}

TEST_CASE("step stats: the worst step and what made it so") {
  StepStats stats;
  std::int64_t t = 0;
  const auto step = [&](std::int64_t ns, std::vector<std::int64_t> idle) {
    stats.step(t, t + ns, idle);
    t += ns;
  };
  CHECK(stats.worst().cause == StepStats::kNone);
  for (int i = 0; i < 10; ++i) step(9999, {9999, 0});  // warm-up
  stats.restart();
  for (int i = 0; i < 100; ++i) step(1000, {400, 50});
  CHECK(stats.worst().cause == StepStats::kNone);  // no worse than the others
  // Cause 0 is still the greatest, but what was added is cause 1's.
  step(1500, {420, 500});
  CHECK(stats.worst().index == 110);
  CHECK(stats.worst().cause == 1);
  CHECK(stats.worst().above_median_ns == Approx(500).margin(10));
  CHECK(stats.worst().cause_above_median_ns == Approx(450).margin(10));
  // A cause that is seen for the first time.
  step(2000, {400, 50, 1000});
  CHECK(stats.worst().cause == 2);
  CHECK(stats.median_idle_ns(2) == 0);
  step(3000, {400, 60, 0});
  CHECK(stats.worst().index == 112);
  CHECK(stats.worst().cause == StepStats::kNotIdle);
  CHECK(stats.count() == 103);
}

TEST_CASE("step stats: too many causes, none, and negative times") {
  StepStats stats;
  const std::vector<std::int64_t> many(100, 1);
  stats.step(0, 100, many);
  stats.step(100, 50, {});
  stats.step(100, 300, many);
  CHECK(stats.worst().index == 2);
  CHECK(stats.count() == 3);
}

TEST_CASE("step stats: slow steps at a fixed distance") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> noise(0, 200);
  for (const std::int64_t period : {2, 3, 5, 17, 100, 250}) {
    for (const int offset : {0, 1}) {
      StepStats stats;
      for (int i = 0; i < 3000; ++i) {
        const std::int64_t ns = 1000 + noise(random) + (i % period == offset ? 900 : 0);
        stats.step(0, ns, {});
      }
      CHECK(stats.slow_period() == period);
    }
  }
}

TEST_CASE("step stats: one slow step missing and one too many leave the period") {
  StepStats stats;
  for (int i = 0; i < 200; ++i) {
    const bool slow = (i % 10 == 3 && i != 53) || i == 77;
    stats.step(0, slow ? 3000 : 1000, {});
  }
  CHECK(stats.slow_period() == 10);
}

TEST_CASE("step stats: no period where there is none") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    StepStats stats;
    for (int i = 0; i < 400; ++i) stats.step(0, random() % 10 == 0 ? 3000 : 1000, {});
    CHECK(stats.slow_period() == 0);
  }
  StepStats even, few, half;
  for (int i = 0; i < 100; ++i) even.step(0, 1000 + i, {});
  for (int i = 0; i < 30; ++i) few.step(0, i % 10 == 0 ? 3000 : 1000, {});
  for (int i = 0; i < 100; ++i) half.step(0, i < 50 ? 3000 : 1000, {});
  CHECK(even.slow_period() == 0);
  CHECK(few.slow_period() == 0);
  CHECK(half.slow_period() == 0);
}
