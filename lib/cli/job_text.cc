#include "cli/job_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gapscope/gapscope.h"
#include "sink/canvas.h"
#include "sink/figures.h"
#include "sink/safe_text.h"
#include "sink/table.h"

namespace gapscope::cli {
namespace {

using sink::Canvas;
using sink::Style;
using sink::Table;

constexpr std::size_t kMaxRows = 32;
constexpr std::size_t kMaxListed = 20;

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size() && i < kMaxListed; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", numbers[i]);
  }
  if (numbers.size() > kMaxListed)
    absl::StrAppend(&out, " and ", numbers.size() - kMaxListed, " more");
  return out;
}

void write_head(const Job& job, Canvas& canvas) {
  std::set<std::string> hosts;
  std::size_t devices = 0;
  for (const RankSummary& r : job.ranks) {
    hosts.insert(r.hostname);
    devices += r.devices;
  }
  canvas.line(absl::StrCat("gapscope ", GAPSCOPE_VERSION_STRING, "  ",
                           sink::short_command(job.ranks.front().command), "  ", job.ranks.size(),
                           " ranks on ", hosts.size(), hosts.size() == 1 ? " host, " : " hosts, ",
                           devices, devices == 1 ? " GPU" : " GPUs"),
              Style::label);
  if (!job.missing.empty()) {
    canvas.folded(
        "MISSING",
        absl::StrCat(job.missing.size(), " of ", job.size, " ranks: ", listed(job.missing)),
        Style::warn);
  }
}

void write_slowest(const Job& job, Canvas& canvas) {
  if (!job.slowest) {
    if (job.ranks.size() > 1)
      canvas.folded("SLOWEST", "none: the ranks are within 1 % of each other");
    return;
  }
  const Slowest& slowest = *job.slowest;
  const RankSummary& rank = job.ranks[slowest.index];
  const char* unit = job.per_step ? " a step" : "";
  std::string text = absl::StrCat("rank ", rank.label(), " on ", rank.hostname);
  if (slowest.by_waiting) {
    absl::StrAppend(&text, ": the others wait for it in collectives, at least ",
                    sink::duration(slowest.others_wait_ns), unit, " (median)");
  }
  if (!slowest.part.empty()) {
    absl::StrAppend(&text, "; ", slowest.part, " ", sink::duration(slowest.excess_ns), unit,
                    " longer than the median of the others");
  }
  canvas.folded("SLOWEST", text, Style::warn);
}

void write_total(const Job& job, Canvas& canvas) {
  std::vector<std::pair<std::string, double>> rows = {
      {"compute", 0}, {"exposed comm", 0}, {"copy only", 0}, {"unknown", 0}};
  std::map<std::string, double> idle;
  double window = 0;
  for (const RankSummary& r : job.ranks) {
    window += r.window_ns;
    rows[0].second += r.compute_ns;
    rows[1].second += r.comm_exposed_ns;
    rows[2].second += r.copy_only_ns;
    rows[3].second += r.unknown_ns;
    double named = 0;
    for (const auto& [cause, ns] : r.idle_by_cause) {
      idle["idle: " + cause] += ns;
      named += ns;
    }
    if (r.idle_ns > named)
      idle[r.idle_by_cause.empty() ? "idle" : "idle, other"] += r.idle_ns - named;
  }
  std::vector<std::pair<std::string, double>> causes(idle.begin(), idle.end());
  std::sort(causes.begin(), causes.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  rows.insert(rows.end() - 1, causes.begin(), causes.end());
  std::vector<double> parts;
  for (const auto& row : rows) parts.push_back(row.second);
  const auto tenths = sink::percent_tenths(parts);
  Table table;
  table.column("all ranks", Table::Align::left);
  table.column("GPU time", Table::Align::right);
  table.column("%", Table::Align::right);
  table.column("", Table::Align::left);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].second <= 0) continue;
    table.row(
        {rows[i].first, sink::duration(rows[i].second), sink::scaled_fixed(tenths[i], 1), ""});
  }
  table.row({"total", sink::duration(window), window > 0 ? "100.0" : "-", ""}, Style::label);
  canvas.blank();
  table.print(canvas, 0);
}

std::string top_cause(const RankSummary& rank) {
  const auto found =
      std::max_element(rank.idle_by_cause.begin(), rank.idle_by_cause.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return found == rank.idle_by_cause.end() || found->second <= 0 ? "" : found->first;
}

// Indices of the ranks to show: all in their order, or the slowest.
std::vector<std::size_t> chosen(const Job& job, bool all) {
  std::vector<std::size_t> order(job.ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (all || order.size() <= kMaxRows) return order;
  const auto own = [&](std::size_t i) {  // what a rank needs by itself
    const RankSummary& r = job.ranks[i];
    return r.per_step(r.window_ns - r.waiting_ns);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return own(a) > own(b); });
  order.resize(kMaxRows);
  return order;
}

void write_ranks(const Job& job, bool all, Canvas& canvas) {
  const auto shown = chosen(job, all);
  Table table;
  table.column("rank", Table::Align::left);
  table.column(job.per_step ? "step" : "window", Table::Align::right);
  for (const char* name : {"compute", "comm", "copy", "idle"}) {
    table.column(name, Table::Align::right);
  }
  table.column(absl::StrCat("waits ", canvas.utf8() ? "≥" : ">="), Table::Align::right);
  table.column("host", Table::Align::left, 1);
  table.column("idle mostly", Table::Align::left);
  for (const std::size_t i : shown) {
    const RankSummary& r = job.ranks[i];
    const auto share = [&](double ns) {
      return r.window_ns > 0 ? sink::fixed(ns / r.window_ns * 100, 1) : "-";
    };
    const bool slow = job.slowest && job.slowest->index == i;
    table.row(
        {r.label(), sink::duration(job.per_step ? r.step_ns : r.window_ns), share(r.compute_ns),
         share(r.comm_exposed_ns), share(r.copy_only_ns), share(r.idle_ns),
         job.collectives > 0 ? sink::duration(r.per_step(r.waiting_ns)) : "-", r.hostname,
         top_cause(r)},
        slow ? Style::warn : Style::plain);
  }
  canvas.blank();
  table.print(canvas, 0);
  if (shown.size() < job.ranks.size()) {
    canvas.line(absl::StrCat("the ", shown.size(), " slowest of ", job.ranks.size(),
                             " ranks (--all shows all)"),
                Style::faint);
  }
}

void write_notes(const Job& job, Canvas& canvas) {
  canvas.blank();
  canvas.folded(
      "",
      absl::StrCat(
          "compute, comm (exposed), copy and idle: % of each rank's window, devices summed",
          job.per_step ? ", steady state" : "",
          job.collectives > 0 ? "; waits: communication kernels beyond the shortest rank's" : ""),
      Style::faint);
  if (job.collectives_uneven > 0) {
    canvas.folded("NOTE", absl::StrCat(job.collectives_uneven,
                                       " communication kernels did not run equally often on every "
                                       "rank and are not compared"));
  }
  std::size_t written = 0;
  for (const std::string& note : job.notes) {
    if (++written > kMaxListed) break;
    canvas.folded("NOTE", note, Style::warn);
  }
}

}  // namespace

std::string job_to_text(const Job& job, const sink::TextOptions& options, bool all) {
  Canvas canvas(options);
  if (job.ranks.empty()) return "no reports\n";
  write_head(job, canvas);
  write_slowest(job, canvas);
  write_total(job, canvas);
  write_ranks(job, all, canvas);
  write_notes(job, canvas);
  return canvas.take();
}

}  // namespace gapscope::cli
