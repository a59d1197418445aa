// What must hold in every report of every test, whatever the run: time adds up (invariant 3),
// tables agree with sums, nothing is negative. One helper for unit, pipeline and GPU tests.
//
//   REQUIRE_REPORT_HOLDS(report);            in a Catch test
//   report_violations(report)                elsewhere: one line for each broken rule
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"

namespace gapscope::test {

class InvariantChecker {
 public:
  explicit InvariantChecker(const report::Report& report) : report_(report) {}

  std::vector<std::string> run() {
    scope(report_.whole, "whole");
    if (report_.steady) {
      scope(*report_.steady, "steady");
      steady_within_whole();
    }
    top_level();
    return std::move(broken_);
  }

 private:
  void check(bool holds, const std::string& what) {
    if (!holds) broken_.push_back(where_ + ": " + what);
  }
  void equal(std::int64_t a, std::int64_t b, const std::string& what) {
    check(a == b, what + " (" + std::to_string(a) + " != " + std::to_string(b) + ")");
  }
  void at_most(std::int64_t a, std::int64_t b, const std::string& what) {
    check(a <= b, what + " (" + std::to_string(a) + " > " + std::to_string(b) + ")");
  }
  void not_negative(std::initializer_list<std::int64_t> values, const std::string& what) {
    for (const std::int64_t v : values) check(v >= 0, what + " negative: " + std::to_string(v));
  }

  void distribution(const report::Distribution& d, const std::string& what) {
    not_negative({d.count, d.total_ns, d.min_ns, d.max_ns, d.p50_ns, d.p90_ns, d.p99_ns}, what);
    check(d.stddev_ns >= 0, what + " deviation");
    if (d.count == 0) return equal(d.total_ns, 0, what + " empty but has time");
    // Percentiles are bucket middles: they may leave [min, max] by the bucket's 1 %.
    const auto slack = [](std::int64_t v) { return v / 64 + 1; };
    at_most(d.min_ns, d.p50_ns + slack(d.p50_ns), what + " min <= p50");
    at_most(d.p50_ns, d.p90_ns, what + " p50 <= p90");
    at_most(d.p90_ns, d.p99_ns, what + " p90 <= p99");
    at_most(d.p99_ns, d.max_ns + slack(d.max_ns), what + " p99 <= max");
    check(static_cast<double>(d.total_ns) >= static_cast<double>(d.min_ns) * d.count,
          what + " total >= count * min");
    check(static_cast<double>(d.total_ns) <= static_cast<double>(d.max_ns) * d.count * 1.0000001,
          what + " total <= count * max");
  }

  void scope(const report::Scope& scope, const std::string& name) {
    for (const auto& d : scope.devices) {
      where_ = name + " device " + std::to_string(d.device);
      time(d);
      gaps(d);
      causes(d);
      tables(d);
      timeline(d);
    }
    where_ = name;
    overlap(scope.overlap);
    for (const auto& c : scope.host_calls) {
      distribution(c.time, c.name);
      not_negative({c.blocking_ns, c.failed, c.captured}, c.name);
      at_most(c.blocking_ns, c.time.total_ns, c.name + " blocking <= total");
      at_most(c.failed + c.captured, 2 * c.time.count, c.name + " failed, captured <= calls");
    }
    for (const auto& w : scope.waits) {
      not_negative({w.calls, w.total_ns, w.gpu_busy_ns, w.gpu_idle_ns}, w.name);
      at_most(w.gpu_busy_ns + w.gpu_idle_ns, w.total_ns, w.name + " busy + idle <= total");
    }
    for (const auto& r : scope.ranges) {
      not_negative({r.calls, r.host_ns, r.device_span_ns, r.device_union_ns, r.idle_ns, r.kernels},
                   r.path);
      at_most(r.device_union_ns, r.device_span_ns, r.path + " union <= span");
    }
  }

  void time(const report::Device& d) {
    const auto& t = d.time;
    not_negative({t.window_ns, t.compute_ns, t.comm_exposed_ns, t.copy_only_ns, t.idle_ns,
                  t.unknown_ns, d.spacing_ns, d.launch_bound_ns, d.copy_ns, d.copy_overlap_ns,
                  d.comm_ns, d.comm_overlap_ns, d.kernel_sum_ns, d.operations, d.streams,
                  d.graph_granular_ns, d.kernel_names},
                 "time");
    equal(t.window_ns, t.compute_ns + t.comm_exposed_ns + t.copy_only_ns + t.idle_ns + t.unknown_ns,
          "window = sum of its parts");
    at_most(d.spacing_ns + d.launch_bound_ns, t.idle_ns, "spacing + launch-bound <= idle");
    equal(d.copy_ns - d.copy_overlap_ns, t.copy_only_ns, "copies outside kernels = copy only");
    equal(d.comm_ns - d.comm_overlap_ns, t.comm_exposed_ns, "communication alone = exposed");
    at_most(d.graph_granular_ns, t.compute_ns, "graph-granular <= compute");
    at_most(d.first_op_ns, d.last_op_ns, "first operation before last");
    at_most(t.window_ns, d.last_op_ns - d.first_op_ns, "window within first and last operation");
  }

  void gaps(const report::Device& d) {
    const auto& g = d.gaps;
    std::int64_t count = 0, total = 0;
    for (const auto& bin : g.histogram) {
      not_negative({bin.from_ns, bin.count, bin.total_ns}, "gap bin");
      check(bin.total_ns >= bin.from_ns * bin.count, "gap bin total >= count * from");
      count += bin.count;
      total += bin.total_ns;
    }
    equal(count, g.count, "gap bins = gaps");
    equal(total, d.time.idle_ns, "gap bins = idle time");
    at_most(g.listed_count, g.count, "listed gaps <= gaps");
    at_most(g.listed_ns, d.time.idle_ns, "listed gaps <= idle time");
    not_negative({g.listed_count, g.listed_ns, g.half_ns}, "gaps");
    check(g.longest.size() <= 5, "at most five longest gaps");
    check((g.count == 0) == g.longest.empty(), "a longest gap where there is a gap");
    std::int64_t before = INT64_MAX;
    for (const auto& gap : g.longest) {
      at_most(gap.length_ns, before, "longest gaps in order");
      before = gap.length_ns;
      check(gap.length_ns > 0 && gap.length_ns <= d.time.idle_ns, "a gap's length");
      not_negative({gap.at_ns}, "a gap's place");
    }
  }

  void causes(const report::Device& d) {
    if (d.causes.empty()) return;
    std::int64_t total = 0, before = INT64_MAX;
    for (const auto& c : d.causes) {
      not_negative({c.idle_ns, c.gaps}, c.cause);
      at_most(c.idle_ns, before, "causes largest first");
      before = c.idle_ns;
      total += c.idle_ns;
      check(c.evidence.size() <= 5, c.cause + " evidence at most five");
    }
    equal(total, d.time.idle_ns, "causes = idle time");
    for (std::size_t i = 0; i < d.timeline.size(); ++i) {
      std::int64_t in_slice = 0;
      for (const auto& c : d.causes) {
        if (c.timeline_ns.size() != d.timeline.size()) return check(false, c.cause + " slices");
        in_slice += c.timeline_ns[i];
      }
      equal(in_slice, d.timeline[i].idle_ns, "causes in a slice = its idle time");
    }
    for (const auto& c : d.causes) {
      std::int64_t over_time = 0;
      for (const std::int64_t ns : c.timeline_ns) over_time += ns;
      equal(over_time, c.idle_ns, c.cause + " over time = in all");
    }
  }

  void tables(const report::Device& d) {
    std::int64_t sum = 0, calls = 0, alone = 0, copies = 0;
    for (const auto& k : d.kernels) {
      distribution(k.time, k.name);
      not_negative({k.alone_ns}, k.name);
      at_most(k.alone_ns, k.time.total_ns, k.name + " alone <= total");
      check(k.time.count > 0 && !k.name.empty(), "a kernel without calls or name");
      sum += k.time.total_ns;
      calls += k.time.count;
      alone += k.alone_ns;
    }
    equal(sum, d.kernel_sum_ns, "kernels = sum over streams");
    at_most(alone, d.time.compute_ns + d.time.comm_exposed_ns, "alone <= kernel time");
    std::int64_t family_sum = 0, family_calls = 0;
    for (const auto& f : d.families) {
      family_sum += f.total_ns;
      family_calls += f.calls;
    }
    equal(family_sum, sum, "families = kernels, time");
    equal(family_calls, calls, "families = kernels, calls");
    for (const auto& c : d.copies) {
      distribution(c.time, c.direction);
      not_negative({c.bytes, c.hidden_ns, c.same_stream}, c.direction);
      at_most(c.hidden_ns, c.time.total_ns, c.direction + " hidden <= total");
      at_most(c.same_stream, c.time.count, c.direction + " same stream <= copies");
      copies += c.time.count;
    }
    equal(calls + copies, d.operations, "kernels and copies = operations");
    check(d.kernel_names >= static_cast<std::int64_t>(d.kernels.size()) - 1, "names >= entries");
  }

  void timeline(const report::Device& d) {
    check(d.timeline.size() <= 60, "at most 60 slices");
    std::int64_t busy = 0, compute = 0, idle = 0;
    for (const auto& s : d.timeline) {
      not_negative({s.busy_ns, s.compute_ns, s.idle_ns}, "slice");
      at_most(s.compute_ns, s.busy_ns, "slice compute <= busy");
      busy += s.busy_ns;
      compute += s.compute_ns;
      idle += s.idle_ns;
    }
    equal(busy, d.time.compute_ns + d.time.comm_exposed_ns + d.time.copy_only_ns, "timeline busy");
    equal(compute, d.time.compute_ns, "timeline compute");
    equal(idle, d.time.idle_ns, "timeline idle");
  }

  void overlap(const report::Overlap& o) {
    not_negative({o.window_ns, o.both_ns, o.gpu_only_ns, o.cpu_only_ns, o.neither_ns}, "overlap");
    equal(o.window_ns, o.both_ns + o.gpu_only_ns + o.cpu_only_ns + o.neither_ns,
          "overlap shares = window");
  }

  void steady_within_whole() {
    for (const auto& s : report_.steady->devices) {
      where_ = "steady device " + std::to_string(s.device);
      for (const auto& w : report_.whole.devices) {
        if (w.device != s.device) continue;
        at_most(s.time.window_ns, w.time.window_ns, "steady window <= whole");
        at_most(s.time.compute_ns, w.time.compute_ns, "steady compute <= whole");
        at_most(s.time.idle_ns, w.time.idle_ns, "steady idle <= whole");
        at_most(s.operations, w.operations, "steady operations <= whole");
        at_most(s.kernel_sum_ns, w.kernel_sum_ns, "steady kernels <= whole");
        at_most(s.gaps.count, w.gaps.count, "steady gaps <= whole");
      }
    }
  }

  void step(const report::StepView& s, const std::string& name) {
    where_ = name;
    not_negative({s.index, s.begin_ns, s.length_ns, s.left_out}, "step");
    check(s.tracks.size() <= 64, "at most 64 tracks");
    for (const auto& t : s.tracks) {
      check(t.at_ns.size() == t.length_ns.size() && t.at_ns.size() == t.names.size(),
            t.name + " lists of equal length");
      for (std::size_t i = 0; i < t.at_ns.size(); ++i) {
        not_negative({t.at_ns[i], t.length_ns[i], t.names[i]}, t.name);
        at_most(t.at_ns[i] + t.length_ns[i], s.length_ns, t.name + " inside the step");
        at_most(t.names[i], static_cast<std::int64_t>(s.names.size()) - 1, t.name + " has a name");
      }
    }
  }

  void top_level() {
    const auto& steps = report_.steps;
    if (steps.median_step) {
      step(*steps.median_step, "median step");
      at_most(steps.time.min_ns, steps.median_step->length_ns, "not under the shortest");
      at_most(steps.median_step->length_ns, steps.time.max_ns, "not over the longest");
    }
    if (steps.worst_step) {
      step(*steps.worst_step, "worst step");
      equal(steps.worst_step->length_ns, steps.time.max_ns, "length = the longest");
      equal(steps.worst_step->index, steps.worst_index, "index = worst_index");
    }
    where_ = "report";
    distribution(report_.steps.time, "steps");
    not_negative({report_.lead_in_ns, report_.warmup_ns, report_.tail_ns, report_.complete_until_ns,
                  report_.steps.warmup_steps},
                 "times");
    const auto& r = report_.records;
    not_negative({r.seen, r.calls, r.dropped_ring, r.dropped_cupti, r.invalid, r.incomplete,
                  r.unmatched, r.orphaned, r.late, r.late_ns, r.late_calls, r.missing_nodes,
                  r.captured, r.failed, r.outside, r.overflow, report_.clock_step_ns},
                 "records");
    std::int64_t operations = 0;
    for (const auto& d : report_.whole.devices) operations += d.operations;
    at_most(operations + r.outside, r.seen, "counted + outside <= seen");
    at_most(r.late, r.seen, "late <= seen");
    check(r.late > 0 || r.late_ns == 0, "late time without late records");
    at_most(r.orphaned, r.seen, "orphaned <= seen");
    at_most(r.captured, r.calls, "captured <= calls");
    check(report_.advice.size() <= 5, "at most five advices");
  }

  const report::Report& report_;
  std::string where_;
  std::vector<std::string> broken_;
};

inline std::vector<std::string> report_violations(const report::Report& report) {
  return InvariantChecker(report).run();
}

}  // namespace gapscope::test

// Include "catch.h" first.
#define REQUIRE_REPORT_HOLDS(report_value)                                               \
  do {                                                                                   \
    const auto violations_of_report = ::gapscope::test::report_violations(report_value); \
    for (const auto& violation : violations_of_report) UNSCOPED_INFO(violation);         \
    REQUIRE(violations_of_report.empty());                                               \
  } while (false)
