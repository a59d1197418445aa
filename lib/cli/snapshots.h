// Snapshots of processes, as the command line looks at them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "report/report.h"
#include "runtime/config.h"
#include "runtime/snapshot_folder.h"

namespace gapscope::cli {

struct Snapshot {
  enum class State {
    runs,   // the process lives and writes on
    ended,  // the report is whole: the session ended in an orderly way
    died,   // the process went without a word; the report ends where its last snapshot does
  };
  SnapshotFile file;
  report::Report report;
  State state = State::died;
};

const char* state_name(Snapshot::State state);  // one word

// NotFound and the like when the file is no report (any more).
absl::StatusOr<Snapshot> read_snapshot(const SnapshotFile& file);

// The newest snapshot of a process; NotFound says where it was looked for. A process that runs is
// asked for a new one, and has two seconds for it; one without news has none.
absl::StatusOr<Snapshot> find_snapshot(const Config& config, pid_t pid);

// Of the processes below one `gapscope run`: those that died, the lowest rank first, then by age.
std::vector<Snapshot> died_in_run(const Config& config, const std::string& run_id);

// "12 s", "3 min", "5 h": since the snapshot was written.
std::string age_text(const SnapshotFile& file);

}  // namespace gapscope::cli
