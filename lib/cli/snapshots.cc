#include "cli/snapshots.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "report/report_json.h"
#include "report/snapshot.h"
#include "runtime/clock.h"
#include "runtime/owned_file.h"

namespace gapscope::cli {
namespace {

constexpr std::uint64_t kAnswerNs = 2'000'000'000;

long rank_of(const report::Report& report) {
  const std::string& rank = report.process.rank;
  long number = 0;
  std::from_chars(rank.data(), rank.data() + rank.size(), number);
  return number;
}

std::optional<SnapshotFile> newest_of(const Config& config, pid_t pid) {
  for (SnapshotFile& file : list_snapshots(config.snapshot_folder)) {
    if (file.pid == pid) return std::move(file);
  }
  return std::nullopt;
}

// Until the process has answered by removing the request, or will not.
void ask_for_another(const std::string& snapshot) {
  const std::string ask = snapshot_ask_path(snapshot);
  const int fd = open(ask.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;
  close(fd);
  const std::uint64_t deadline = monotonic_ns() + kAnswerNs;
  while (access(ask.c_str(), F_OK) == 0 && monotonic_ns() < deadline &&
         is_owned_by_another(snapshot)) {
    usleep(20'000);
  }
  unlink(ask.c_str());
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
  if (const auto file = newest_of(config, pid)) {
    if (is_owned_by_another(file->path)) ask_for_another(file->path);
    return read_snapshot(newest_of(config, pid).value_or(*file));
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
