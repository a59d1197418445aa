#include "report/per_step.h"

#include <algorithm>
#include <cmath>

namespace gapscope::report {
namespace {

// The window may differ from the sum of the steps by one that was not closed and a bit, or by this
// share of it, never by more than a quarter.
constexpr double kUnclosedSteps = 1.5;
constexpr double kUnclosedShare = 0.05;
constexpr double kMostUnclosed = 0.25;

}  // namespace

const Scope& shown_scope(const Report& report) {
  return report.steady ? *report.steady : report.whole;
}

double steps_shown(const Report& report) {
  if (report.steps.time.count <= 0 || report.steps.time.total_ns <= 0) return 0;
  double window_ns = 0;
  for (const Device& device : shown_scope(report).devices) {
    window_ns = std::max(window_ns, static_cast<double>(device.time.window_ns));
  }
  const auto total_ns = static_cast<double>(report.steps.time.total_ns);
  const double mean_ns = total_ns / static_cast<double>(report.steps.time.count);
  const double slack_ns =
      std::clamp(kUnclosedSteps * mean_ns, kUnclosedShare * window_ns, kMostUnclosed * window_ns);
  return std::fabs(window_ns - total_ns) <= slack_ns ? window_ns / mean_ns : 0;
}

}  // namespace gapscope::report
