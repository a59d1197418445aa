#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "catch.h"
#include "runtime/file_output.h"

using namespace gapscope;

namespace {

struct TempFolder {
  TempFolder() {
    char name[] = "/tmp/gapscope-output-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  // Entries besides those expected would be temporary files that were left behind.
  long entries() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
  std::string path;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

mode_t type_of(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

std::string read_all(int fd) {
  std::string text;
  char chunk[4096];
  ssize_t n = 0;
  while ((n = read(fd, chunk, sizeof chunk)) > 0) text.append(chunk, static_cast<std::size_t>(n));
  return text;
}

void is_error(const absl::Status& status, const std::string& path, const std::string& reason) {
  REQUIRE_FALSE(status.ok());
  const std::string text(status.message());
  CHECK(text == "cannot write " + path + ": " + reason);
}

}  // namespace

TEST_CASE("write_file replaces a file whole") {
  const TempFolder folder;
  const std::string path = folder / "report.json";
  REQUIRE(write_file(path, "one").ok());
  std::ifstream reader(path);
  REQUIRE(write_file(path, "two").ok());
  CHECK(slurp(path) == "two");
  std::string old;
  reader >> old;  // whoever has the old one open keeps it
  CHECK(old == "one");
  CHECK(folder.entries() == 1);
}

TEST_CASE("write_file names the path and the reason when it cannot") {
  const TempFolder folder;
  is_error(write_file(folder / "no/report.json", "x"), folder / "no/report.json",
           "No such file or directory");
  is_error(write_file(folder.path, "x"), folder.path, "Is a directory");
  REQUIRE(write_file(folder / "file", "x").ok());
  is_error(write_file(folder / "file/x", "x"), folder / "file/x", "Not a directory");
}

TEST_CASE("write_file writes to a device and leaves it one") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(master >= 0);
  REQUIRE(grantpt(master) == 0);
  REQUIRE(unlockpt(master) == 0);
  char name[128];
  REQUIRE(ptsname_r(master, name, sizeof name) == 0);
  const int held = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);  // keeps what is written
  REQUIRE(write_file(name, "report\n").ok());
  char chunk[64];
  const ssize_t n = read(master, chunk, sizeof chunk);
  CHECK(std::string(chunk, static_cast<std::size_t>(std::max<ssize_t>(n, 0))) == "report\r\n");
  CHECK(type_of(name) == S_IFCHR);
  close(held);
  close(master);
}

TEST_CASE("write_file writes to a pipe, more than it holds at once") {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const std::string content(1 << 20, 'r');
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(fd >= 0);
  fcntl(fd, F_SETFL, 0);
  std::string received;
  bool ok = false;
  std::thread writer([&] { ok = write_file(path, content).ok(); });
  // A read before the writer has opened its end would say that there is none.
  while (received.empty()) received = read_all(fd);
  writer.join();
  CHECK(ok);
  CHECK(received == content);
  CHECK(type_of(path) == S_IFIFO);
  CHECK(folder.entries() == 1);
  close(fd);
}

TEST_CASE("a pipe that nobody reads, or reads on, is an error and no wait without end") {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  is_error(write_file(path, "report"), path, "nobody reads this pipe");
  const int idle_reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  is_error(write_file(path, std::string(1 << 20, 'r'), 10), path, "its reader has stopped reading");
  CHECK(type_of(path) == S_IFIFO);
  close(idle_reader);
}

TEST_CASE("a reader that goes away, or a limit on file sizes, raises no signal") {
  const TempFolder folder;
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  close(ends[0]);
  CHECK(write_all(ends[1], "x") == EPIPE);  // SIGPIPE would end this program
  close(ends[1]);
  sigset_t pending;
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE) == 0);

  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const absl::Status status = write_file(folder / "report.json", std::string(8192, 'r'));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  is_error(status, folder / "report.json", "File too large");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a SIGPIPE that was pending before stays the program's own") {
  sigset_t pipe_only;
  sigset_t before;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  raise(SIGPIPE);
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  close(ends[0]);
  CHECK(write_all(ends[1], "x") == EPIPE);
  close(ends[1]);
  const timespec none{};
  CHECK(sigtimedwait(&pipe_only, nullptr, &none) == SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("write_file refuses a socket and leaves it one") {
  const TempFolder folder;
  const std::string path = folder / "socket";
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  is_error(write_file(path, "report"), path, "it is a socket");
  CHECK(type_of(path) == S_IFSOCK);
  close(fd);
}

TEST_CASE("write_file follows the user's own symbolic links") {
  const TempFolder folder;
  const std::string path = folder / "report.json";
  REQUIRE(mkdir((folder / "disk").c_str(), 0700) == 0);
  REQUIRE(symlink("disk/link", path.c_str()) == 0);
  REQUIRE(symlink((folder / "disk/target").c_str(), (folder / "disk/link").c_str()) == 0);
  for (const std::string content : {"one", "two"}) {  // the target is missing, then there
    REQUIRE(write_file(path, content).ok());
    CHECK(slurp(folder / "disk/target") == content);
    CHECK(type_of(path) == S_IFLNK);
    CHECK(type_of(folder / "disk/target") == S_IFREG);
  }
  REQUIRE(symlink("loop", (folder / "loop").c_str()) == 0);
  is_error(write_file(folder / "loop", "x"), folder / "loop", "Too many levels of symbolic links");
}

TEST_CASE("write_file appends to a file that the program itself has open") {
  const TempFolder folder;
  const std::string path = folder / "log";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(write_all(fd, "the program's own\n") == 0);
  const std::string link = folder / "stdout";  // as /dev/stdout is one
  REQUIRE(symlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), link.c_str()) == 0);
  REQUIRE(write_file(link, "report\n").ok());
  CHECK(slurp(path) == "the program's own\nreport\n");
  CHECK(type_of(link) == S_IFLNK);
  close(fd);
}

TEST_CASE("what somebody else planted in a folder for everybody is replaced, never followed") {
  if (geteuid() != 0) return;  // only root can plant as somebody else
  const TempFolder folder;
  constexpr uid_t kSomebody = 65534;
  const std::string victim = folder / "victim";
  REQUIRE(write_file(victim, "precious").ok());
  REQUIRE(mkdir((folder / "tmp").c_str(), 0700) == 0);
  REQUIRE(chmod((folder / "tmp").c_str(), 01777) == 0);
  const std::string link = folder / "tmp/report.json";
  REQUIRE(symlink(victim.c_str(), link.c_str()) == 0);
  REQUIRE(lchown(link.c_str(), kSomebody, kSomebody) == 0);
  const std::string partial = link + "." + std::to_string(getpid()) + ".partial";
  REQUIRE(symlink(victim.c_str(), partial.c_str()) == 0);
  const std::string pipe = folder / "tmp/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0666) == 0);
  REQUIRE(chown(pipe.c_str(), kSomebody, kSomebody) == 0);
  for (const std::string& path : {link, pipe}) {
    REQUIRE(write_file(path, "report").ok());
    CHECK(type_of(path) == S_IFREG);
    CHECK(slurp(path) == "report");
  }
  CHECK(slurp(victim) == "precious");
}
