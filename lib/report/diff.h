// Two reports of the same program, before and after a change: where the time of a step went.
//
// Figures are per step of the steady state where both reports have steps, else per run. Over
// several devices they are device-time summed. Parts add up: change = the sum of the parts'
// changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace gapscope::report {

struct Change {
  double before_ns = 0;
  double after_ns = 0;
  double change_ns() const { return after_ns - before_ns; }
};

// One part of the window: "compute", "exposed comm", "copy only", a cause of idle time, "unknown".
struct PartChange {
  std::string label;
  bool idle = false;
  Change time;
};

enum class KernelFate { added, gone, slower, faster, more_calls, fewer_calls };

// A kernel whose time per step changed beyond its own spread. Devices are summed.
struct KernelChange {
  std::string name;
  std::string full_name;
  KernelFate fate = KernelFate::slower;
  Change time;     // summed over streams
  Change average;  // of one execution
  double calls_before = 0;
  double calls_after = 0;
};

// What an advice of the old report promised, and what became of the time it was about.
struct Promise {
  std::string text;
  std::string cause;
  double promised_ns = 0;  // at best
  double won_ns = 0;       // negative when that part grew
  bool known = false;      // false: the advice names no part of the window, so won_ns says nothing
  bool still_given = false;  // the new report gives it again
};

struct Diff {
  bool per_step = false;
  double steps_before = 0;
  double steps_after = 0;
  Change total;         // the window per step: device-time
  Change step;          // mean time of a step; zeros without steps
  double noise_ns = 0;  // changes of a step's mean below this are within the steps' spread
  std::vector<PartChange> parts;      // largest change first
  std::vector<KernelChange> kernels;  // largest change first
  std::size_t kernels_same = 0;       // kernels of both reports that did not change
  std::vector<Promise> promises;      // in the old report's order
  std::vector<std::string> notes;     // why the two may not be comparable

  bool beyond_noise(double change_ns) const;
};

Diff diff(const Report& before, const Report& after);

}  // namespace gapscope::report
