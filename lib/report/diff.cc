#include "report/diff.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "report/diff_kernels.h"
#include "report/metrics.h"
#include "report/snapshot.h"

namespace gapscope::report {
namespace {

constexpr double kSigmas = 2;

double ns(std::int64_t value) { return static_cast<double>(value); }

bool has_causes(const Scope& scope) {
  return std::any_of(scope.devices.begin(), scope.devices.end(),
                     [](const Device& device) { return !device.causes.empty(); });
}

class Parts {
 public:
  Parts(double divisor_before, double divisor_after)
      : divisor_before_(divisor_before), divisor_after_(divisor_after) {}

  // Causes are compared only where both reports have them; else idle time as far as both know it.
  void add(const Scope& scope, bool after, bool causes) {
    for (const Device& device : scope.devices) {
      const TimeSplit& time = device.time;
      add("compute", false, time.compute_ns, after);
      add("exposed comm", false, time.comm_exposed_ns, after);
      add("copy only", false, time.copy_only_ns, after);
      add("unknown", false, time.unknown_ns, after);
      if (causes && !device.causes.empty()) {
        for (const Cause& cause : device.causes) add(cause.cause, true, cause.idle_ns, after);
      } else if (causes) {
        add("unattributed", true, time.idle_ns, after);
      } else {
        add("idle", true, time.idle_ns, after);
      }
    }
  }

  std::vector<PartChange> take() {
    parts_.erase(std::remove_if(parts_.begin(), parts_.end(),
                                [](const PartChange& part) {
                                  return part.time.before_ns == 0 && part.time.after_ns == 0;
                                }),
                 parts_.end());
    std::stable_sort(parts_.begin(), parts_.end(), [](const PartChange& a, const PartChange& b) {
      return std::fabs(a.time.change_ns()) > std::fabs(b.time.change_ns());
    });
    return std::move(parts_);
  }

 private:
  void add(const std::string& label, bool idle, std::int64_t part_ns, bool after) {
    auto at = std::find_if(parts_.begin(), parts_.end(),
                           [&](const PartChange& part) { return part.label == label; });
    if (at == parts_.end()) at = parts_.insert(at, PartChange{label, idle, {}});
    (after ? at->time.after_ns : at->time.before_ns) +=
        ns(part_ns) / (after ? divisor_after_ : divisor_before_);
  }

  double divisor_before_;
  double divisor_after_;
  std::vector<PartChange> parts_;
};

double standard_error(const Distribution& steps) {
  return steps.count > 1 ? steps.stddev_ns / std::sqrt(ns(steps.count)) : 0;
}

double mean_step(const Report& report) {
  const Distribution& steps = report.steps.time;
  return steps.count > 0 ? ns(steps.total_ns) / ns(steps.count) : 0;
}

std::vector<Promise> promises(const Report& before, const Report& after, const Diff& diff) {
  std::vector<Promise> list;
  for (const Advice& advice : before.advice) {
    Promise promise;
    promise.text = advice.text;
    promise.cause = advice.cause;
    promise.promised_ns = (advice.before_ms - advice.after_ms) * 1e6;
    for (const PartChange& part : diff.parts) {
      if (advice.cause.empty() || part.label != advice.cause) continue;
      promise.known = true;
      promise.won_ns = -part.time.change_ns();
    }
    promise.still_given =
        std::any_of(after.advice.begin(), after.advice.end(),
                    [&](const Advice& again) { return again.text == advice.text; });
    list.push_back(std::move(promise));
  }
  return list;
}

std::vector<std::string> notes(const Basis& before, const Basis& after, bool per_step) {
  std::vector<std::string> list;
  const auto device_names = [](const Scope& scope) {
    std::string names;
    for (const Device& device : scope.devices)
      absl::StrAppend(&names, names.empty() ? "" : ", ", device.name);
    return names;
  };
  if (!per_step) list.push_back("steps do not fill both runs: figures are of the whole runs");
  if (per_step && before.report.steps.source != after.report.steps.source) {
    list.push_back(absl::StrCat("steps were ", before.report.steps.source, ", are now ",
                                after.report.steps.source, ": they may not be the same work"));
  }
  if (before.scope.devices.size() != after.scope.devices.size()) {
    list.push_back(absl::StrCat(before.scope.devices.size(), " GPUs before, ",
                                after.scope.devices.size(),
                                " now: figures are sums over the GPUs"));
  } else if (device_names(before.scope) != device_names(after.scope)) {
    list.push_back(absl::StrCat("another GPU: ", device_names(before.scope), " before, ",
                                device_names(after.scope), " now"));
  }
  if (has_causes(before.scope) != has_causes(after.scope))
    list.push_back("only one report knows causes of idle time: idle time is compared as a whole");
  if (before.report.truncated || after.report.truncated) list.push_back("a report ends early");
  if (is_snapshot(before.report) || is_snapshot(after.report))
    list.push_back("a report is a snapshot of a process that went on");
  return list;
}

}  // namespace

bool Diff::beyond_noise(double change_ns) const {
  return std::fabs(change_ns) > noise_ns && change_ns != 0;
}

Diff diff(const Report& before, const Report& after) {
  Diff result;
  const Basis old_steady(before);
  const Basis new_steady(after);
  result.per_step = old_steady.steps > 0 && new_steady.steps > 0;
  result.steps_before = old_steady.steps;
  result.steps_after = new_steady.steps;
  const double divisor_before = result.per_step ? old_steady.steps : 1;
  const double divisor_after = result.per_step ? new_steady.steps : 1;
  const Scope& old_scope = result.per_step ? old_steady.scope : before.whole;
  const Scope& new_scope = result.per_step ? new_steady.scope : after.whole;

  const bool causes = has_causes(old_scope) && has_causes(new_scope);
  Parts parts(divisor_before, divisor_after);
  parts.add(old_scope, false, causes);
  parts.add(new_scope, true, causes);
  result.parts = parts.take();
  for (const PartChange& part : result.parts) {
    result.total.before_ns += part.time.before_ns;
    result.total.after_ns += part.time.after_ns;
  }
  if (result.per_step) {
    result.step = {mean_step(before), mean_step(after)};
    result.noise_ns =
        kSigmas * std::hypot(standard_error(before.steps.time), standard_error(after.steps.time));
  }
  diff_kernels(old_scope, new_scope, divisor_before, divisor_after, result);
  result.promises = promises(before, after, result);
  result.notes = notes(old_steady, new_steady, result.per_step);
  return result;
}

}  // namespace gapscope::report
