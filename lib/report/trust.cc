#include "report/trust.h"

#include <algorithm>

namespace gapscope::report {
namespace {

// Numbers may come from a file: sums in double, nothing below zero.
double positive(std::int64_t value) { return std::max(static_cast<double>(value), 0.0); }

double share(double part, double whole) {
  if (!(part > 0)) return 0;
  return whole > part ? part / whole : 1;
}

double windows(const Report& report) {
  double sum = 0;
  for (const Device& device : report.whole.devices) sum += positive(device.time.window_ns);
  return sum;
}

}  // namespace

double lost_records(const Records& r) {
  double lost = 0;
  for (const std::int64_t n :
       {r.dropped_ring, r.dropped_cupti, r.unmatched, r.invalid, r.overflow}) {
    lost += positive(n);
  }
  return lost;
}

double all_records(const Records& r) {
  return positive(r.seen) + positive(r.calls) + lost_records(r);
}

double late_share(const Report& report) {
  return share(positive(report.records.late_ns), windows(report));
}

double clock_step_share(const Report& report) {
  const double devices = static_cast<double>(report.whole.devices.size());
  return share(positive(report.clock_step_ns) * devices, windows(report));
}

double late_calls_share(const Report& report) {
  return share(positive(report.records.late_calls), positive(report.records.calls));
}

bool bounds_only(const Report& report) {
  const Records& r = report.records;
  return report.truncated || lost_records(r) > kNegligibleRecords * all_records(r) ||
         late_share(report) > kNegligibleTime || clock_step_share(report) > kNegligibleTime;
}

}  // namespace gapscope::report
