#include "cli/job.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/job_slowest.h"
#include "report/snapshot.h"
#include "report/trust.h"

namespace gapscope::cli {
namespace {

constexpr std::int64_t kMaxRanks = 1'000'000;  // a report may say anything

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 && value < kMaxRanks ? std::optional(value) : std::nullopt;
}

// "3/8" or "3".
void parse_rank(const std::string& text, RankSummary& summary) {
  const std::size_t slash = text.find('/');
  summary.rank = number(std::string_view(text).substr(0, slash));
  if (slash != std::string::npos) summary.size = number(std::string_view(text).substr(slash + 1));
}

void add_device(const report::Device& device, RankSummary& summary) {
  const report::TimeSplit& t = device.time;
  summary.window_ns += static_cast<double>(t.window_ns);
  summary.compute_ns += static_cast<double>(t.compute_ns);
  summary.comm_exposed_ns += static_cast<double>(t.comm_exposed_ns);
  summary.copy_only_ns += static_cast<double>(t.copy_only_ns);
  summary.idle_ns += static_cast<double>(t.idle_ns);
  summary.unknown_ns += static_cast<double>(t.unknown_ns);
  for (const report::Cause& cause : device.causes) {
    summary.idle_by_cause[cause.cause] += static_cast<double>(cause.idle_ns);
  }
  for (const report::Kernel& kernel : device.kernels) {
    if (!kernel.communication) continue;
    auto& collective = summary.collectives[kernel.full_name];
    collective.total_ns += static_cast<double>(kernel.time.total_ns);
    collective.calls += static_cast<double>(kernel.time.count);
  }
}

void find_missing(Job& job) {
  std::set<std::int64_t> seen;
  std::set<std::int64_t> sizes;
  for (const RankSummary& r : job.ranks) {
    if (r.size) sizes.insert(*r.size);
    if (r.rank && !seen.insert(*r.rank).second) {
      job.notes.push_back(
          absl::StrCat("rank ", *r.rank, " is there more than once (", r.path, ")"));
    }
  }
  if (!sizes.empty()) job.size = *sizes.rbegin();
  if (sizes.size() > 1) {
    job.notes.push_back(absl::StrCat("the reports are of jobs of different sizes (", *sizes.begin(),
                                     " to ", *sizes.rbegin(), " ranks)"));
  }
  for (std::int64_t rank = 0; rank < job.size; ++rank) {
    if (seen.count(rank) == 0) job.missing.push_back(rank);
  }
}

void note_differences(Job& job) {
  std::set<std::string> commands;
  std::size_t without_rank = 0, partial = 0;
  for (const RankSummary& r : job.ranks) {
    commands.insert(r.command);
    without_rank += r.rank ? 0 : 1;
    partial += r.partial ? 1 : 0;
  }
  if (commands.size() > 1) {
    job.notes.push_back(absl::StrCat("the ranks ran ", commands.size(), " different commands"));
  }
  if (without_rank > 0) {
    job.notes.push_back(absl::StrCat(without_rank, " reports do not know their rank"));
  }
  if (partial > 0) {
    job.notes.push_back(absl::StrCat(
        partial,
        " reports are truncated, snapshots, or lost records or time: their figures are bounds"));
  }
}

// A collective's kernel runs until the last rank has come, so beyond the shortest rank's time it
// waits. Reports hold sums over calls: the difference of sums is at most the sum of differences.
void compare_collectives(Job& job) {
  std::set<std::string> names;
  for (const RankSummary& r : job.ranks) {
    for (const auto& [name, collective] : r.collectives) names.insert(name);
  }
  for (const std::string& name : names) {
    const double calls = job.ranks.front().collectives[name].calls;
    const bool even = std::all_of(job.ranks.begin(), job.ranks.end(), [&](RankSummary& r) {
      return r.collectives[name].calls == calls;
    });
    if (!even || calls <= 0) {
      ++job.collectives_uneven;
      continue;
    }
    ++job.collectives;
    double shortest = job.ranks.front().collectives[name].total_ns;
    for (RankSummary& r : job.ranks) {
      shortest = std::min(shortest, r.collectives[name].total_ns);
    }
    for (RankSummary& r : job.ranks) r.waiting_ns += r.collectives[name].total_ns - shortest;
  }
}

}  // namespace

std::string RankSummary::label() const {
  return rank ? absl::StrCat(*rank) : absl::StrCat("pid ", pid);
}

RankSummary summarise(const report::Report& report, const std::string& path) {
  RankSummary summary;
  summary.path = path;
  summary.hostname = report.process.hostname;
  summary.command = report.process.command;
  summary.pid = report.process.pid;
  parse_rank(report.process.rank, summary);
  const report::Scope& scope = report.steady ? *report.steady : report.whole;
  summary.devices = scope.devices.size();
  for (const report::Device& device : scope.devices) add_device(device, summary);
  if (report.steady && report.steps.time.count > 0) {
    summary.steps = static_cast<double>(report.steps.time.count);
    summary.step_ns = static_cast<double>(report.steps.time.total_ns) / summary.steps;
  }
  const report::Records& records = report.records;
  summary.partial = report::bounds_only(report) || report::is_snapshot(report) ||
                    records.dropped_ring > 0 || records.dropped_cupti > 0;
  return summary;
}

Job make_job(std::vector<RankSummary> ranks) {
  Job job;
  job.ranks = std::move(ranks);
  if (job.ranks.empty()) return job;
  std::sort(job.ranks.begin(), job.ranks.end(), [](const RankSummary& a, const RankSummary& b) {
    const auto key = [](const RankSummary& r) {
      return std::tuple(r.rank.value_or(kMaxRanks), std::string_view(r.hostname), r.pid,
                        std::string_view(r.path));
    };
    return key(a) < key(b);
  });
  job.per_step = std::all_of(job.ranks.begin(), job.ranks.end(),
                             [](const RankSummary& r) { return r.steps > 0; });
  if (!job.per_step) {
    for (RankSummary& r : job.ranks) r.steps = r.step_ns = 0;  // compared over the window alone
  }
  find_missing(job);
  note_differences(job);
  compare_collectives(job);
  job.slowest = find_slowest(job);
  return job;
}

}  // namespace gapscope::cli
