// Where snapshots lie: one folder of one user, one file a process.
//
// The default folder is in memory that every user may write to, so it is only used when it is a
// folder of this user's own that nobody else may enter; a symbolic link is never followed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gapscope {

struct SnapshotFile {
  std::string path;
  pid_t pid = 0;
  std::string run_id;  // of the `gapscope run` above the process (and what OwnedFile appended)
  std::uint64_t modified_ns = 0;  // CLOCK_REALTIME
  std::uint64_t bytes = 0;
};

// "FOLDER/snapshot.PID.json" or "FOLDER/snapshot.PID.RUN_ID.json".
std::string snapshot_path(const std::string& folder, pid_t pid, const std::string& run_id);

// The file whose presence asks the process for a new snapshot.
std::string snapshot_ask_path(const std::string& snapshot);

// Makes the folder with mode 0700 unless it is there. An error, with its reason, when it cannot be
// used: a link, another user's, open to others.
absl::Status prepare_snapshot_folder(const std::string& folder);

// The files of the folder that are snapshots by their name, newest first; none when it is missing
// or not safe to use.
std::vector<SnapshotFile> list_snapshots(const std::string& folder);

// Removes what dead processes have left: files older than a day, those beyond the newest 32, and
// unfinished files. Those of living processes and of this one stay.
inline constexpr std::uint64_t kSnapshotMaxAgeNs = 86'400'000'000'000;
inline constexpr std::size_t kSnapshotMaxFiles = 32;
void clear_old_snapshots(const std::string& folder, std::uint64_t now_ns);

// Whether the file system there has room for a file of that size and three times as much again:
// memory for files is shared with the program (NCCL), which must not run out of it.
bool has_room(const std::string& folder, std::uint64_t bytes);

}  // namespace gapscope
