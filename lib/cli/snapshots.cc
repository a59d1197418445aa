#include "cli/snapshots.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "report/report_json.h"
#include "report/snapshot.h"
#include "runtime/clock.h"
#include "runtime/owned_file.h"

namespace gapscope::cli {
namespace {

long rank_of(const report::Report& report) {
  const std::string& rank = report.process.rank;
  long number = 0;
  std::from_chars(rank.data(), rank.data() + rank.size(), number);
  return number;
}

// A second file of a run may have the process id appended: see OwnedFile.
bool is_of_run(const SnapshotFile& file, const std::string& run_id) {
  return file.run_id == run_id || absl::StartsWith(file.run_id, run_id + ".");
}

}  // namespace

const char* state_name(Snapshot::State state) {
  switch (state) {
    case Snapshot::State::runs:
      return "runs";
    case Snapshot::State::ended:
      return "ended";
    case Snapshot::State::died:
      return "died";
  }
  return "unknown";
}

absl::StatusOr<Snapshot> read_snapshot(const SnapshotFile& file) {
  Snapshot snapshot;
  snapshot.file = file;
  // Before the content: a process that ends in between leaves a whole report.
  const bool owned = is_owned_by_another(file.path);
  auto report = report::read_report(file.path);
  if (!report.ok()) return report.status();
  snapshot.report = *std::move(report);
  if (!report::is_snapshot(snapshot.report)) {
    snapshot.state = Snapshot::State::ended;
  } else {
    snapshot.state = owned ? Snapshot::State::runs : Snapshot::State::died;
  }
  return snapshot;
}

absl::StatusOr<Snapshot> find_snapshot(const Config& config, pid_t pid) {
  if (config.snapshot_folder.empty()) {
    return absl::NotFoundError("GAPSCOPE_SNAPSHOT=0: there are no snapshots to look at");
  }
  for (const SnapshotFile& file : list_snapshots(config.snapshot_folder)) {
    if (file.pid == pid) return read_snapshot(file);
  }
  return absl::NotFoundError(absl::StrCat(
      "no snapshot of process ", pid, " in ", config.snapshot_folder,
      ": the first one comes 2 s after its first CUDA call (gapscope ps lists what there is)"));
}

std::vector<Snapshot> died_in_run(const Config& config, const std::string& run_id) {
  std::vector<Snapshot> died;
  if (config.snapshot_folder.empty()) return died;
  for (const SnapshotFile& file : list_snapshots(config.snapshot_folder)) {
    if (!is_of_run(file, run_id)) continue;
    auto snapshot = read_snapshot(file);
    if (snapshot.ok() && snapshot->state == Snapshot::State::died) {
      died.push_back(*std::move(snapshot));
    }
  }
  std::stable_sort(died.begin(), died.end(), [](const Snapshot& a, const Snapshot& b) {
    const long first = rank_of(a.report);
    const long second = rank_of(b.report);
    return first != second ? first < second : a.report.process.start_ns < b.report.process.start_ns;
  });
  return died;
}

std::string age_text(const SnapshotFile& file) {
  const std::uint64_t now = now_ns();
  const std::uint64_t seconds =
      now > file.modified_ns ? (now - file.modified_ns) / 1'000'000'000 : 0;
  if (seconds < 120) return absl::StrCat(seconds, " s");
  if (seconds < 7200) return absl::StrCat(seconds / 60, " min");
  if (seconds < 172'800) return absl::StrCat(seconds / 3600, " h");
  return absl::StrCat(seconds / 86'400, " days");
}

}  // namespace gapscope::cli
