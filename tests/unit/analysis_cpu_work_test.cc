// Which threads work: calls that do not wait, and launching threads seen on a CPU outside of calls.
#include <algorithm>
#include <random>
#include <vector>

#include "analysis/cpu_work.h"
#include "analysis_stream.h"
#include "catch.h"
#include "report_invariants.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

struct Stretch {
  std::int64_t begin_ns, end_ns;
  std::uint32_t thread;
  bool waits = false, launches = false;
};

bool inside(const Stretch& s, std::int64_t t) { return s.begin_ns <= t && t < s.end_ns; }

// By the definition, nanosecond by nanosecond.
std::int64_t brute_force_ns(const std::vector<Stretch>& calls, const std::vector<Stretch>& samples,
                            std::uint32_t threads, std::int64_t until_ns) {
  std::int64_t ns = 0;
  for (std::int64_t t = 0; t < until_ns; ++t) {
    bool any = false;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      bool works = false, waits = false, launched = false, on_cpu = false;
      for (const Stretch& c : calls) {
        if (c.thread != thread) continue;
        launched |= c.launches && c.begin_ns <= t;
        if (inside(c, t)) (c.waits ? waits : works) = true;
      }
      for (const Stretch& s : samples) on_cpu |= s.thread == thread && inside(s, t);
      any |= works || (launched && !waits && on_cpu);
    }
    ns += any;
  }
  return ns;
}

// What CpuWork says, driven as the sweep drives it.
std::int64_t swept_ns(const std::vector<Stretch>& calls, const std::vector<Stretch>& samples,
                      std::int64_t until_ns) {
  CpuWork work;
  for (const Stretch& s : samples) work.add_sample(s.thread, s.begin_ns, s.end_ns, 0);
  std::int64_t ns = 0, working = 0;
  for (std::int64_t t = 0; t < until_ns; ++t) {
    for (const Stretch& c : calls) {
      if (c.end_ns == t) working += work.call_ends(c.thread, c.waits);
    }
    while (work.next_ns() <= t) working += work.take_event();
    for (const Stretch& c : calls) {
      if (c.begin_ns != t) continue;
      working += work.call_begins(c.thread, c.launches ? ApiCategory::launch : ApiCategory::alloc,
                                  c.waits);
    }
    REQUIRE(working >= 0);
    ns += working > 0;
  }
  return ns;
}

ThreadSampleRecord sample(std::uint64_t begin, std::uint64_t end, bool on_cpu,
                          std::uint32_t thread = 0) {
  auto r = make_record<ThreadSampleRecord>(thread);
  r.begin_ns = begin;
  r.end_ns = end;
  r.on_cpu_ns = on_cpu ? end - begin : 0;
  r.state = on_cpu ? 'R' : 'S';
  r.wait_id = kNoString;
  return r;
}

}  // namespace

TEST_CASE("working threads, against the definition") {
  std::mt19937 random(11);
  const auto number = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<Stretch> calls, samples;
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      for (std::int64_t t = number(50); t < 380;) {  // a thread's calls do not overlap
        const std::int64_t end = t + 1 + number(40);
        calls.push_back({t, end, thread, number(3) == 0, number(2) == 0});
        t = end + number(40);
      }
      for (std::int64_t t = number(50); t < 380;) {
        const std::int64_t end = t + 1 + number(60);
        if (number(2) == 0) samples.push_back({t, end, thread});
        t = end;
      }
    }
    INFO("round " << round);
    REQUIRE(swept_ns(calls, samples, 600) == brute_force_ns(calls, samples, 3, 600));
  }
}

TEST_CASE(
    "a launching thread on a CPU between calls is CPU work; a waiting or a strange one is not") {
  Fed fed;
  fed.run(1, 100, 1000, 3000);
  fed.add(sample(500, 1500, true));                         // 500 before the window
  fed.add(sample(1500, 2000, false));                       // asleep
  fed.add(sample(3000, 4000, true));                        // alone: CPU only
  fed.add(sync(4100, 4900)).add(sample(4000, 5000, true));  // spins in a wait
  fed.add(sample(5000, 5900, true, 7));                     // never launched
  fed.run(2, 5900, 6000, 7000);
  const report::Report report = fed.finish();
  REQUIRE_REPORT_HOLDS(report);
  const report::Overlap& o = report.whole.overlap;
  REQUIRE(o.window_ns == 6000);
  REQUIRE(o.both_ns == 500);
  REQUIRE(o.gpu_only_ns == 2500);
  REQUIRE(o.cpu_only_ns == 1000 + 200 + 2);  // 3000-4000, 4000-4100, 4900-5000, the launch
  REQUIRE(o.basis == "CUDA calls and sampled threads");
}

TEST_CASE("samples beyond every bound do no harm") {
  CpuWork work;
  for (std::uint32_t i = 0; i < CpuWork::kMaxEvents; ++i) work.add_sample(i, 10, 20, 0);
  REQUIRE(work.held() <= CpuWork::kMaxEvents);
  REQUIRE(work.call_begins(kNoThread, ApiCategory::launch, false) == 1);
  REQUIRE(work.call_ends(kNoThread, false) == -1);
  while (work.next_ns() != kForever) work.take_event();
  REQUIRE(work.held() == 0);
}
