// What must hold whatever the input: checked by every harness. A failure ends the process, which is
// how a fuzzer notices.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "report/report.h"
#include "report/report_json.h"

namespace gapscope::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// Time adds up, exactly, whatever was fed.
inline void check_device(const report::Device& device) {
  const report::TimeSplit& t = device.time;
  require(t.window_ns >= 0 && t.compute_ns >= 0 && t.comm_exposed_ns >= 0 && t.copy_only_ns >= 0 &&
              t.idle_ns >= 0 && t.unknown_ns >= 0,
          "a negative duration");
  require(
      t.window_ns == t.compute_ns + t.comm_exposed_ns + t.copy_only_ns + t.idle_ns + t.unknown_ns,
      "the window is not the sum of its parts");
  std::int64_t causes = 0;
  for (const report::Cause& cause : device.causes) causes += cause.idle_ns;
  require(device.causes.empty() || causes == t.idle_ns, "idle is not the sum of its causes");
}

inline void check_report(const report::Report& report) {
  for (const report::Device& device : report.whole.devices) check_device(device);
  if (report.steady) {
    for (const report::Device& device : report.steady->devices) check_device(device);
  }
  require(report::from_json(report::to_json(report)).ok(), "a report that cannot be read back");
}

}  // namespace gapscope::fuzz
