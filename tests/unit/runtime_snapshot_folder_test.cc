#include "runtime/snapshot_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catch.h"
#include "runtime/clock.h"
#include "runtime/file_output.h"
#include "runtime_temp_folder.h"

using namespace gapscope;
using gapscope::test::TempFolder;

namespace {

constexpr pid_t kOther = 1'000'000'007;  // no process has this id

void put(const std::string& path, std::uint64_t modified_ns) {
  REQUIRE(write_file(path, "{}").ok());
  const timespec time{static_cast<time_t>(modified_ns / 1'000'000'000),
                      static_cast<long>(modified_ns % 1'000'000'000)};
  const timespec times[2] = {time, time};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("the snapshot folder is made for this user alone") {
  TempFolder folder;
  const std::string path = folder.file("snapshots");
  umask(0);
  REQUIRE(prepare_snapshot_folder(path).ok());
  struct stat info {};
  REQUIRE(lstat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(prepare_snapshot_folder(path).ok());
}

TEST_CASE("a folder that is not safe is not used") {
  TempFolder folder;
  const std::string real = folder.file("real");
  const std::string link = folder.file("link");
  REQUIRE(mkdir(real.c_str(), 0700) == 0);
  put(snapshot_path(real, kOther, ""), now_ns());
  REQUIRE(list_snapshots(real).size() == 1);
  REQUIRE(symlink(real.c_str(), link.c_str()) == 0);
  CHECK_FALSE(prepare_snapshot_folder(link).ok());
  CHECK(list_snapshots(link).empty());
  REQUIRE(chmod(real.c_str(), 0770) == 0);
  CHECK_FALSE(prepare_snapshot_folder(real).ok());
  CHECK(list_snapshots(real).empty());
  CHECK_FALSE(prepare_snapshot_folder(folder.file("no/such")).ok());
  REQUIRE(chmod(real.c_str(), 0700) == 0);
  if (geteuid() != 0) return;
  REQUIRE(chown(real.c_str(), 12345, 12345) == 0);
  CHECK_FALSE(prepare_snapshot_folder(real).ok());
  CHECK(list_snapshots(real).empty());
}

TEST_CASE("snapshots are known by their names, newest first") {
  TempFolder folder;
  const std::uint64_t now = now_ns();
  put(snapshot_path(folder.path, 7, ""), now - 2'000);
  put(snapshot_path(folder.path, 8, "run-1-2"), now - 1'000);
  for (const char* name : {"snapshot.x.json", "snapshot.json", "7.json", "snapshot.7.txt",
                           "snapshot.-7.json", "snapshot.99999999999999999999.json"}) {
    put(folder.file(name), now);
  }
  REQUIRE(symlink("snapshot.7.json", folder.file("snapshot.9.json").c_str()) == 0);
  const auto files = list_snapshots(folder.path);
  REQUIRE(files.size() == 2);
  CHECK(files[0].pid == 8);
  CHECK(files[0].run_id == "run-1-2");
  CHECK(files[1].pid == 7);
  CHECK(files[1].run_id.empty());
}

TEST_CASE("what dead processes left is bounded by age and by number") {
  TempFolder folder;
  const std::uint64_t now = now_ns();
  for (std::size_t i = 0; i < 2 * kSnapshotMaxFiles; ++i) {
    put(snapshot_path(folder.path, kOther + static_cast<pid_t>(i), ""), now - i * 1'000'000);
  }
  put(snapshot_path(folder.path, 1, ""), now - kSnapshotMaxAgeNs - 1'000'000'000);
  put(snapshot_path(folder.path, getpid(), ""), now - 2 * kSnapshotMaxAgeNs);
  put(folder.file("snapshot.5.json.5.partial"), now - kSnapshotMaxAgeNs);
  put(folder.file("somebody.else"), 1);
  clear_old_snapshots(folder.path, now);
  const auto files = list_snapshots(folder.path);
  CHECK(files.size() == kSnapshotMaxFiles + 1);
  CHECK(files.front().pid == kOther);
  CHECK(files.back().pid == getpid());
  CHECK(access(folder.file("snapshot.5.json.5.partial").c_str(), F_OK) != 0);
  CHECK(access(folder.file("somebody.else").c_str(), F_OK) == 0);
}

TEST_CASE("a file that fills the file system is not written") {
  TempFolder folder;
  CHECK(has_room(folder.path, 1));
  CHECK_FALSE(has_room(folder.path, ~std::uint64_t{0} / 8));
}
