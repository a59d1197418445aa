#include "runtime/owned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "catch.h"
#include "runtime/clock.h"
#include "runtime/file_output.h"
#include "runtime_temp_folder.h"

using namespace gapscope;
using gapscope::test::slurp;
using gapscope::test::TempFolder;

namespace {

// Another process: it writes its name into the file, says so, and stays until it is told to go.
class Other {
 public:
  Other(const std::string& path, std::uint64_t since_ns, const std::string& text) {
    REQUIRE(pipe(ready_) == 0);
    REQUIRE(pipe(go_) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(go_[1]);
      {
        OwnedFile file(path, since_ns);
        const char good = file.write(text).ok() ? 'y' : 'n';
        (void)!::write(ready_[1], &good, 1);
        char byte = 0;
        (void)!::read(go_[0], &byte, 1);
      }
      _exit(0);
    }
    close(ready_[1]);
    close(go_[0]);
    char good = 0;
    REQUIRE(::read(ready_[0], &good, 1) == 1);
    CHECK(good == 'y');
  }
  ~Other() { leave(); }
  void leave() {
    if (pid_ == 0) return;
    close(go_[1]);
    close(ready_[0]);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  int ready_[2] = {}, go_[2] = {};
  pid_t pid_ = 0;
};

std::string name_with(const TempFolder& folder, pid_t pid) {
  return folder.file("report." + std::to_string(pid) + ".json");
}

}  // namespace

TEST_CASE("an owned file is written again and again under its name") {
  TempFolder folder;
  OwnedFile file(folder.file("report.json"), now_ns());
  for (const char* text : {"one", "two", "three"}) {
    REQUIRE(file.write(text).ok());
    CHECK(slurp(folder.file("report.json")) == text);
  }
  CHECK_FALSE(file.renamed());
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a file that a living process writes is not touched") {
  TempFolder folder;
  const std::string path = folder.file("report.json");
  Other other(path, 0, "other's");
  // Even one that began after that file was written.
  OwnedFile file(path, now_ns() + 1'000'000'000);
  REQUIRE(file.write("ours").ok());
  CHECK(slurp(path) == "other's");
  CHECK(file.renamed());
  CHECK(file.path() == name_with(folder, getpid()));
  CHECK(slurp(file.path()) == "ours");
  REQUIRE(file.write("ours again").ok());
  CHECK(slurp(file.path()) == "ours again");
  CHECK(is_owned_by_another(path));
  other.leave();
  CHECK_FALSE(is_owned_by_another(path));
}

TEST_CASE("a file that another process finished while this one lived stays, an older one goes") {
  TempFolder folder;
  const std::string path = folder.file("report.json");
  const std::uint64_t before = now_ns() - 1'000'000'000;
  Other(path, before, "sibling's").leave();
  OwnedFile sibling(path, before);
  REQUIRE(sibling.write("ours").ok());
  CHECK(sibling.renamed());
  CHECK(slurp(path) == "sibling's");
  OwnedFile next_run(path, now_ns() + 1'000'000'000);
  REQUIRE(next_run.write("next").ok());
  CHECK_FALSE(next_run.renamed());
  CHECK(slurp(path) == "next");
}

TEST_CASE("many processes that write one name at once end with a file each") {
  TempFolder folder;
  constexpr int kProcesses = 12;
  const std::uint64_t since = now_ns() - 1'000'000'000;
  int gate[2];
  REQUIRE(pipe(gate) == 0);
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() != 0) continue;
    close(gate[1]);
    char byte = 0;
    (void)!::read(gate[0], &byte, 1);  // all at once, when the parent closes its end
    OwnedFile file(folder.file("report.json"), since);
    bool good = true;
    for (int n = 0; n < 20; ++n) good = good && file.write(std::to_string(getpid())).ok();
    _exit(good ? 0 : 1);
  }
  close(gate[0]);
  close(gate[1]);
  int good = 0;
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    wait(&status);
    good += status == 0 ? 1 : 0;
  }
  CHECK(good == kProcesses);
  std::set<std::string> contents;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    contents.insert(slurp(entry.path()));
    ++files;
  }
  CHECK(files == kProcesses);
  CHECK(contents.size() == kProcesses);
}

TEST_CASE("a link of the user's own is followed, and stays") {
  TempFolder folder;
  const std::string target = folder.file("target.json");
  const std::string path = folder.file("report.json");
  REQUIRE(write_file(target, "old").ok());
  REQUIRE(symlink(target.c_str(), path.c_str()) == 0);
  OwnedFile file(path, now_ns() + 1'000'000'000);
  REQUIRE(file.write("ours").ok());
  REQUIRE(file.write("ours again").ok());
  CHECK(slurp(target) == "ours again");
  CHECK(std::filesystem::is_symlink(path));
}

TEST_CASE("a link that another user planted is replaced, not followed") {
  if (geteuid() != 0) return;  // nobody else to be
  TempFolder folder;
  const std::string open_folder = folder.file("open");
  const std::string victim = folder.file("victim");
  const std::string path = open_folder + "/report.json";
  REQUIRE(mkdir(open_folder.c_str(), 0700) == 0);
  REQUIRE(chmod(open_folder.c_str(), 01777) == 0);
  REQUIRE(write_file(victim, "precious").ok());
  REQUIRE(symlink(victim.c_str(), path.c_str()) == 0);
  REQUIRE(lchown(path.c_str(), 12345, 12345) == 0);
  OwnedFile file(path, now_ns());
  REQUIRE(file.write("ours").ok());
  CHECK(slurp(victim) == "precious");
  CHECK(slurp(path) == "ours");
}

TEST_CASE("a device is written to, again and again") {
  OwnedFile file("/dev/full", now_ns());
  CHECK_FALSE(file.write("x").ok());
  struct stat info {};
  REQUIRE(stat("/dev/full", &info) == 0);
  CHECK(S_ISCHR(info.st_mode));
}

TEST_CASE("an owned file that cannot be written says why and leaves nothing") {
  TempFolder folder;
  OwnedFile missing(folder.file("none/report.json"), now_ns());
  const absl::Status status = missing.write("x");
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.message()).find("none/report.json: No such file") != std::string::npos);
  REQUIRE(mkdir(folder.file("report.json").c_str(), 0700) == 0);
  OwnedFile is_folder(folder.file("report.json"), now_ns());
  CHECK_FALSE(is_folder.write("x").ok());
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}
