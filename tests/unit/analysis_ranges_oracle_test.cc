// Ranges against a computation from their definition, on random programs.
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analysis_ranges_feed.h"
#include "catch.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

// The length of the union, within [from, to).
std::int64_t union_ns(std::vector<Interval> intervals, std::int64_t from, std::int64_t to) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t total = 0, reach = from;
  for (const auto& [start, end] : intervals) {
    const std::int64_t a = std::max(start, reach), b = std::min(end, to);
    if (b > a) total += b - a;
    reach = std::max(reach, b);
  }
  return total;
}

struct Execution {
  std::string path;
  std::uint32_t thread;
  std::int64_t begin, end;
  std::vector<std::size_t> operations;
};
struct Work {
  std::uint32_t thread;
  std::uint8_t device;
  std::int64_t launch, start, end;
};

struct Program {
  std::vector<Execution> executions;
  std::vector<Work> work;
};

// Threads with an outermost range each, so that nobody's work is another's.
Program random_program(std::uint32_t seed, RangeFeed& feed) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Program program;
  const int threads = 1 + pick(3), devices = 1 + pick(2), lag = 1 + pick(300);
  for (std::uint32_t thread = 0; thread < static_cast<std::uint32_t>(threads); ++thread) {
    std::int64_t t = 0;
    std::vector<std::size_t> open;
    const auto push = [&](const std::string& name) {
      const std::string above = open.empty() ? "" : program.executions[open.back()].path + "/";
      open.push_back(program.executions.size());
      program.executions.push_back({above + name, thread, t, 0, {}});
      feed.push(t, thread, name);
    };
    const auto pop = [&] {
      program.executions[open.back()].end = t;
      open.pop_back();
      feed.pop(t, thread);
    };
    push("root");
    for (int i = 0; i < 150; ++i) {
      t += pick(6);
      const int what = pick(4);
      if (what == 0 && open.size() < 5) {
        push(std::string(1, static_cast<char>('a' + pick(3))));
      } else if (what == 1 && open.size() > 1) {
        pop();
      } else if (what >= 2) {
        t += 1;  // nothing changes at the instant of a launch
        const std::int64_t start = t + 2 + pick(lag), end = start + pick(20);
        const auto device = static_cast<std::uint8_t>(pick(devices));
        program.work.push_back({thread, device, t, start, end});
        feed.launch(t, thread, start, end, device);
        t += 1;
      }
    }
    while (!open.empty()) {
      ++t;
      pop();
    }
  }
  return program;
}

std::map<std::string, report::Range> by_definition(const Program& program) {
  std::map<std::string, report::Range> ranges;
  std::map<int, std::vector<Interval>> device_busy;
  std::map<std::pair<std::string, int>, std::vector<Interval>> launched;
  for (const Work& w : program.work) device_busy[w.device].push_back({w.start, w.end});
  for (const Execution& e : program.executions) {
    report::Range& range = ranges[e.path];
    range.path = e.path;
    ++range.calls;
    range.host_ns += e.end - e.begin;
    std::map<int, std::vector<Interval>> own;
    for (const Work& w : program.work) {
      if (w.thread != e.thread || w.launch < e.begin || w.launch >= e.end) continue;
      ++range.kernels;
      own[w.device].push_back({w.start, w.end});
      launched[{e.path, w.device}].push_back({w.start, w.end});
    }
    for (const auto& [device, intervals] : own) {
      std::int64_t from = intervals.front().first, to = from;
      for (const auto& [start, end] : intervals) {
        from = std::min(from, start);
        to = std::max(to, end);
      }
      range.device_span_ns += to - from;
      range.idle_ns += to - from - union_ns(device_busy[device], from, to);
    }
  }
  for (const auto& [key, intervals] : launched) {
    ranges[key.first].device_union_ns += union_ns(intervals, 0, 1 << 30);
  }
  return ranges;
}

}  // namespace

TEST_CASE("ranges: random programs give what the definition says") {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    RangeFeed feed;
    const Program program = random_program(seed, feed);
    const auto expected = by_definition(program);
    const auto found = feed.ranges(false, 1 << 20);
    INFO("seed " << seed);
    REQUIRE(found.size() == expected.size());
    for (const auto& [path, range] : expected) {
      INFO(path);
      REQUIRE(found.count(path) == 1);
      const report::Range& f = found.at(path);
      CHECK(f.calls == range.calls);
      CHECK(f.host_ns == range.host_ns);
      CHECK(f.kernels == range.kernels);
      CHECK(f.device_span_ns == range.device_span_ns);
      CHECK(f.device_union_ns == range.device_union_ns);
      CHECK(f.idle_ns == range.idle_ns);
      CHECK_FALSE(f.via_thread);
    }
    REQUIRE(feed.tracker.forgotten() == 0);
  }
}

TEST_CASE("ranges: random marks never do harm") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    RangeTracker tracker(0);
    std::int64_t t = 0;
    for (int i = 0; i < 500; ++i) {
      t += random() % 3;
      RangeMark mark;
      mark.time_ns = t;
      mark.mark = static_cast<MarkKind>(random() % 10);
      mark.thread = random() % 5 == 0 ? random() : random() % 4;
      mark.range_id = random() % 3;
      mark.name = random() % 2 ? "a" : "b/c";
      mark.domain = random() % 2 ? "" : "d";
      mark.counted = random() % 8 != 0;
      mark.phase = random() % 2 ? Phase::steady : Phase::warmup;
      tracker.mark(mark);
      tracker.call(random() % 6, t, t + random() % 5);
      RangeOperation op;
      op.start_ns = op.idle_measure_ns = t;
      op.end_ns = t + random() % 9;
      op.launch_ns = t - static_cast<std::int64_t>(random() % 50);
      op.thread = random() % 7 == 0 ? kNoThread : random() % 6;
      op.kernel = true;
      tracker.operation(op);
      if (i == 250) tracker.take_back_steady();
    }
    for (const report::Range& range : tracker.report(false, t)) {
      CHECK(range.calls > 0);
      CHECK(range.host_ns >= 0);
      CHECK(range.idle_ns >= 0);
      CHECK(range.device_union_ns >= 0);
      CHECK(range.kernels >= 0);
    }
  }
}
