#include "report/diff_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gapscope::report {
namespace {

// Averages of one execution closer than this are equal whatever their spread: clocks of the device
// drift by as much from run to run.
constexpr double kSameAverage = 0.02;
constexpr double kSameCalls = 0.005;
constexpr double kSigmas = 3;

// One kernel, its devices summed.
struct Sum {
  std::string name;
  double calls = 0;
  double total_ns = 0;
  double variance_ns2 = 0;  // of the total, executions taken as independent

  double average() const { return calls > 0 ? total_ns / calls : 0; }
  double average_error() const { return calls > 0 ? std::sqrt(variance_ns2) / calls : 0; }
};

// Ordered by name: the result may not depend on a hash.
using Sums = std::map<std::string, Sum>;

Sums sums_of(const Scope& scope) {
  Sums sums;
  for (const Device& device : scope.devices) {
    for (const Kernel& kernel : device.kernels) {
      if (kernel.time.count <= 0) continue;
      Sum& sum = sums[kernel.full_name.empty() ? kernel.name : kernel.full_name];
      sum.name = kernel.name;
      const auto calls = static_cast<double>(kernel.time.count);
      sum.calls += calls;
      sum.total_ns += static_cast<double>(kernel.time.total_ns);
      sum.variance_ns2 += calls * kernel.time.stddev_ns * kernel.time.stddev_ns;
    }
  }
  return sums;
}

KernelChange change_of(const std::string& full_name, const Sum& before, const Sum& after,
                       double divisor_before, double divisor_after) {
  KernelChange change;
  change.full_name = full_name;
  change.name = after.calls > 0 ? after.name : before.name;
  change.time = {before.total_ns / divisor_before, after.total_ns / divisor_after};
  change.average = {before.average(), after.average()};
  change.calls_before = before.calls / divisor_before;
  change.calls_after = after.calls / divisor_after;
  return change;
}

// What happened to a kernel of both reports; false when nothing did.
bool classify(const Sum& before, const Sum& after, KernelChange& change) {
  const double by = change.average.change_ns();
  const double spread = kSigmas * std::hypot(before.average_error(), after.average_error());
  const double calls = change.calls_after - change.calls_before;
  const bool average_moved =
      std::fabs(by) > std::max(spread, kSameAverage * change.average.before_ns);
  const bool calls_moved = std::fabs(calls) > kSameCalls * change.calls_before;
  if (!average_moved && !calls_moved) return false;
  // The larger of the two effects on the time of a step names the change.
  const double by_average = std::fabs(by) * change.calls_before;
  const double by_calls = std::fabs(calls) * change.average.before_ns;
  if (average_moved && (!calls_moved || by_average >= by_calls)) {
    change.fate = by > 0 ? KernelFate::slower : KernelFate::faster;
  } else {
    change.fate = calls > 0 ? KernelFate::more_calls : KernelFate::fewer_calls;
  }
  return true;
}

}  // namespace

void diff_kernels(const Scope& before, const Scope& after, double divisor_before,
                  double divisor_after, Diff& diff) {
  const Sums old_sums = sums_of(before);
  const Sums new_sums = sums_of(after);
  for (const auto& [name, sum] : old_sums) {
    const auto match = new_sums.find(name);
    const Sum none;
    const Sum& now = match != new_sums.end() ? match->second : none;
    KernelChange change = change_of(name, sum, now, divisor_before, divisor_after);
    if (match == new_sums.end()) {
      change.fate = KernelFate::gone;
    } else if (!classify(sum, now, change)) {
      ++diff.kernels_same;
      continue;
    }
    diff.kernels.push_back(std::move(change));
  }
  for (const auto& [name, sum] : new_sums) {
    if (old_sums.count(name) > 0) continue;
    diff.kernels.push_back(change_of(name, Sum{}, sum, divisor_before, divisor_after));
    diff.kernels.back().fate = KernelFate::added;
  }
  std::stable_sort(diff.kernels.begin(), diff.kernels.end(),
                   [](const KernelChange& a, const KernelChange& b) {
                     return std::fabs(a.time.change_ns()) > std::fabs(b.time.change_ns());
                   });
}

}  // namespace gapscope::report
