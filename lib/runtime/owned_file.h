// A file that one process writes again and again, and no other process beside it.
//
// Every process of a job reads the same GAPSCOPE_REPORT, and a path without %p is then one path for
// all. The first that writes owns it, by a lock on the file as it lies there; the others add their
// process id to the name. A file that another process finished while this one lived is its too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gapscope {

class OwnedFile {
 public:
  // since_ns: when this process began (CLOCK_REALTIME). What was last written before that is of an
  // earlier run and is replaced.
  OwnedFile(std::string path, std::uint64_t since_ns);
  ~OwnedFile();  // gives the lock up; the file stays
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;

  // Replaces the whole file by a rename, under write_file()'s rules for links, devices and pipes,
  // which nobody owns. One thread at a time. No fsync.
  absl::Status write(std::string_view content);

  // Where it is; after the first write that may be another name than the one asked for.
  const std::string& path() const { return path_; }
  bool renamed() const { return renamed_; }

 private:
  enum class Placed { here, elsewhere, again, failed };

  Placed place(const std::string& partial);
  Placed replace_what_is_there(const std::string& partial, int link_error);
  void take_other_name();
  void keep(int fd);
  void release();

  const std::uint64_t since_ns_;
  std::string path_;
  std::string first_name_;  // with links followed; set when it was another's
  bool renamed_ = false;
  int names_tried_ = 0;
  bool owned_ = false;
  int fd_ = -1;  // of the file that we wrote last: holds the lock
  ino_t inode_ = 0;
  dev_t device_ = 0;
};

// Whether a living process owns the file, this one left out; false also when it cannot be opened.
bool is_owned_by_another(const std::string& path);

}  // namespace gapscope
