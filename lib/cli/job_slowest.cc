#include "cli/job_slowest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gapscope::cli {
namespace {

constexpr double kNoticeable = 0.01;  // of a step

using Figure = std::function<double(const RankSummary&)>;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of_others(const Job& job, std::size_t except, const Figure& figure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    if (i != except) values.push_back(figure(job.ranks[i]));
  }
  return median(std::move(values));
}

// Everything a step consists of but the waiting for others.
std::map<std::string, Figure> parts(const Job& job) {
  std::map<std::string, Figure> out;
  out["compute"] = [](const RankSummary& r) { return r.per_step(r.compute_ns); };
  out["copies"] = [](const RankSummary& r) { return r.per_step(r.copy_only_ns); };
  bool causes_known = false;
  for (const RankSummary& rank : job.ranks) {
    for (const auto& [cause, ns] : rank.idle_by_cause) {
      causes_known = true;
      out["idle: " + cause] = [name = cause](const RankSummary& r) {
        const auto found = r.idle_by_cause.find(name);
        return found == r.idle_by_cause.end() ? 0 : r.per_step(found->second);
      };
    }
  }
  if (!causes_known) {
    out["idle"] = [](const RankSummary& r) { return r.per_step(r.idle_ns); };
  }
  return out;
}

void explain(const Job& job, Slowest& slowest) {
  const RankSummary& rank = job.ranks[slowest.index];
  for (const auto& [name, figure] : parts(job)) {
    const double excess = figure(rank) - median_of_others(job, slowest.index, figure);
    if (excess <= slowest.excess_ns) continue;
    slowest.excess_ns = excess;
    slowest.part = name;
  }
}

}  // namespace

std::optional<Slowest> find_slowest(const Job& job) {
  if (job.ranks.size() < 2) return std::nullopt;
  Slowest slowest;
  slowest.by_waiting = job.collectives > 0;
  const Figure length = [](const RankSummary& r) { return r.steps > 0 ? r.step_ns : r.window_ns; };
  const Figure waiting = [](const RankSummary& r) { return r.per_step(r.waiting_ns); };
  const auto slower = [&](const RankSummary& a, const RankSummary& b) {
    return slowest.by_waiting ? waiting(a) < waiting(b) : length(a) > length(b);
  };
  const auto found = std::min_element(job.ranks.begin(), job.ranks.end(), slower);
  slowest.index = static_cast<std::size_t>(found - job.ranks.begin());
  slowest.others_wait_ns = median_of_others(job, slowest.index, waiting);
  const double difference = slowest.by_waiting
                                ? slowest.others_wait_ns - waiting(*found)
                                : length(*found) - median_of_others(job, slowest.index, length);
  if (difference <= kNoticeable * length(*found)) return std::nullopt;
  explain(job, slowest);
  return slowest;
}

}  // namespace gapscope::cli
