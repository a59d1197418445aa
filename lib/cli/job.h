// The reports of a job's ranks as one value. Bounded: of each report only a summary is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace gapscope::cli {

// Durations are of the steady state where steps are known, else of the whole run; devices summed.
struct RankSummary {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> size;  // of the job, as the rank knew it
  std::string path;
  std::string hostname;
  std::string command;
  std::int64_t pid = 0;
  std::size_t devices = 0;
  double window_ns = 0;
  double compute_ns = 0;
  double comm_exposed_ns = 0;
  double copy_only_ns = 0;
  double idle_ns = 0;
  double unknown_ns = 0;
  std::map<std::string, double> idle_by_cause;
  double steps = 0;       // 0: none known
  double step_ns = 0;     // mean
  double waiting_ns = 0;  // in collectives, at least: see Job::collectives
  bool partial = false;   // truncated, lost records, or of uncertain times

  std::string label() const;  // "3", or "pid 4711" without a rank
  double per_step(double ns) const { return steps > 0 ? ns / steps : ns; }

  struct Collective {
    double total_ns = 0;
    double calls = 0;
  };
  std::map<std::string, Collective> collectives;  // communication kernels, by full name
};

RankSummary summarise(const report::Report& report, const std::string& path);

struct Slowest {
  std::size_t index = 0;      // in Job::ranks
  bool by_waiting = false;    // the others wait for it in collectives; else by its step or window
  double others_wait_ns = 0;  // median of the other ranks' waiting, per step
  std::string part;      // of its step that exceeds the median rank's most; empty when none does
  double excess_ns = 0;  // by how much, per step
};

struct Job {
  std::vector<RankSummary> ranks;  // by rank, then host and pid
  std::int64_t size = 0;           // ranks that there should be, 0 if unknown
  std::vector<std::int64_t> missing;
  std::vector<std::string> notes;  // why the reports may not belong together
  std::size_t collectives = 0;     // kernel names that every rank ran equally often: the base of
                                   // waiting_ns
  std::size_t collectives_uneven = 0;  // others: not compared
  std::optional<Slowest> slowest;      // with two ranks or more that differ by over 1 %
  bool per_step = false;               // every rank knows its steps
};

Job make_job(std::vector<RankSummary> ranks);

}  // namespace gapscope::cli
