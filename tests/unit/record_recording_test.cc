#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <csignal>

#include "absl/strings/match.h"
#include "record/recording_format.h"
#include "record_recording_util.h"

using namespace gapscope;
using namespace gapscope::test;

TEST_CASE("what is recorded is replayed, byte for byte and in order") {
  const TempDir dir;
  KeepingSink before, after;
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  RecordMaker(7).make(20000, **writer, before);  // several chunks
  CHECK_FALSE((*writer)->stopped());
  CHECK((*writer)->close().ok());
  CHECK((*writer)->close().ok());
  RecordMaker(8).make(10, **writer);  // after the end: ignored
  CHECK((*writer)->bytes_written() == read_file(dir / "a.gsrec").size());
  CHECK((*writer)->bytes_written() < before.bytes.size() / 2);

  std::uint64_t last_done = 0, total = 0, calls = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    CHECK(done >= last_done);
    last_done = done;
    total = all;
    ++calls;
  };
  const auto info = replay_recording(dir / "a.gsrec", after, progress);
  REQUIRE(info.ok());
  CHECK(info->complete);
  CHECK_FALSE(info->stopped_at_limit);
  CHECK_FALSE(info->write_failed);
  CHECK(info->records == before.records);
  CHECK(after.bytes == before.bytes);
  CHECK(after.misaligned == 0);
  CHECK(calls > 3);
  CHECK(last_done == total);
  CHECK(total == (*writer)->bytes_written());
}

TEST_CASE("an empty recording is complete") {
  const Sample sample = make_sample(0);
  KeepingSink sink;
  const auto info = replay(sample.file, sink);
  REQUIRE(info.ok());
  CHECK(info->complete);
  CHECK(info->records == 0);
}

TEST_CASE("the destructor closes") {
  const TempDir dir;
  KeepingSink before, after;
  {
    auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
    REQUIRE(writer.ok());
    RecordMaker(1).make(5, **writer, before);
  }
  const auto info = replay_recording(dir / "a.gsrec", after);
  REQUIRE(info.ok());
  CHECK(info->complete);
  CHECK(after.bytes == before.bytes);
}

TEST_CASE("at its limit a recording ends readable, and says so") {
  const TempDir dir;
  KeepingSink before, after;
  const std::uint64_t limit = 300 << 10;
  auto writer = RecordingWriter::open(dir / "a.gsrec", limit);
  REQUIRE(writer.ok());
  RecordMaker maker(3);
  for (int i = 0; i < 1000 && !(*writer)->stopped(); ++i) maker.make(1000, **writer, before);
  REQUIRE((*writer)->stopped());
  CHECK((*writer)->status().ok());
  maker.make(1000, **writer);
  CHECK((*writer)->close().ok());
  CHECK((*writer)->bytes_written() <= limit);
  CHECK((*writer)->bytes_written() == read_file(dir / "a.gsrec").size());
  const auto info = replay_recording(dir / "a.gsrec", after);
  REQUIRE(info.ok());
  CHECK(info->complete);
  CHECK(info->stopped_at_limit);
  CHECK(info->records > 0);
  REQUIRE(after.bytes.size() < before.bytes.size());
  CHECK(std::equal(after.bytes.begin(), after.bytes.end(), before.bytes.begin()));
}

TEST_CASE("a limit without room for anything is an error") {
  const TempDir dir;
  CHECK_FALSE(RecordingWriter::open(dir / "a.gsrec", 40).ok());
}

TEST_CASE("ticks bring what is buffered to the file once a second") {
  const TempDir dir;
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  RecordMaker maker(3);
  auto tick = make_record<TickRecord>();
  const std::uint64_t second = 1'000'000'000;
  tick.now_ns = 5000 * second;
  maker.make(10, **writer);
  (*writer)->consume(tick.header);
  CHECK((*writer)->bytes_written() == recording::kHeaderBytes);
  tick.now_ns += second / 2;
  (*writer)->consume(tick.header);
  CHECK((*writer)->bytes_written() == recording::kHeaderBytes);
  tick.now_ns += second / 2;
  (*writer)->consume(tick.header);
  CHECK((*writer)->bytes_written() > recording::kHeaderBytes);
  // As a killed process leaves it: no end mark, everything up to the tick.
  KeepingSink sink;
  const auto info = replay(read_file(dir / "a.gsrec"), sink);
  REQUIRE(info.ok());
  CHECK_FALSE(info->complete);
  CHECK(info->records == 13);
}

TEST_CASE("records that no reader would take are left out") {
  const TempDir dir;
  KeepingSink sink;
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  for (const std::uint16_t size : {0, 4, 12, 60000}) {
    auto bad = make_record<KernelRecord>();
    bad.header.size_bytes = size;
    (*writer)->consume(bad.header);
  }
  const auto good = make_record<KernelRecord>();
  (*writer)->consume(good.header);
  CHECK((*writer)->close().ok());
  const auto info = replay_recording(dir / "a.gsrec", sink);
  REQUIRE(info.ok());
  CHECK(info->records == 1);
}

TEST_CASE("paths that cannot be written give one line that names them") {
  const TempDir dir;
  const std::string fifo = dir / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& path : {dir / "no/such/folder", dir / ".", fifo, std::string()}) {
    INFO(path);
    const auto writer = RecordingWriter::open(path, 1u << 30);  // on the pipe: must not wait
    REQUIRE_FALSE(writer.ok());
    CHECK(absl::StrContains(writer.status().message(), "cannot write the recording " + path));
    CHECK_FALSE(absl::StrContains(writer.status().message(), "\n"));
  }
}

TEST_CASE("a recording follows the user's own links, but none that somebody else planted") {
  const TempDir dir;
  write_file(dir / "target", Bytes(100, 'x'));
  const std::string link = dir / "a.gsrec";
  REQUIRE(symlink("target", link.c_str()) == 0);
  {
    const auto writer = RecordingWriter::open(link, 1u << 30);
    REQUIRE(writer.ok());
  }
  KeepingSink sink;
  CHECK(replay_recording(dir / "target", sink).ok());
  if (geteuid() != 0) return;  // only root can plant as somebody else
  write_file(dir / "target", Bytes(100, 'x'));
  REQUIRE(lchown(link.c_str(), 65534, 65534) == 0);
  std::filesystem::permissions(dir / ".", std::filesystem::perms(01777));
  const auto writer = RecordingWriter::open(link, 1u << 30);
  REQUIRE_FALSE(writer.ok());
  CHECK(absl::StrContains(writer.status().message(), "cannot write the recording " + link));
  CHECK(absl::StrContains(writer.status().message(), "somebody else's"));
  CHECK(read_file(dir / "target") == Bytes(100, 'x'));
}

TEST_CASE("an existing file is replaced, but not while another process records to it") {
  const TempDir dir;
  write_file(dir / "a.gsrec", Bytes(100000, 'x'));
  {
    auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
    REQUIRE(writer.ok());
    RecordMaker(1).make(3, **writer);
    const auto second = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
    REQUIRE_FALSE(second.ok());
    CHECK(absl::StrContains(second.status().message(), "another process"));
    CHECK((*writer)->close().ok());
  }
  KeepingSink sink;
  const auto info = replay_recording(dir / "a.gsrec", sink);
  REQUIRE(info.ok());
  CHECK(info->records == 3);
}

TEST_CASE("a file that the program itself has open is not recorded to") {
  const TempDir dir;
  write_file(dir / "log", Bytes(100, 'x'));
  const int fd = open((dir / "log").c_str(), O_WRONLY | O_CLOEXEC);
  const std::string link = dir / "stdout";  // as /dev/stdout is one
  REQUIRE(symlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), link.c_str()) == 0);
  const auto writer = RecordingWriter::open(link, 1u << 30);
  REQUIRE_FALSE(writer.ok());
  CHECK(absl::StrContains(writer.status().message(), "has it open itself"));
  CHECK(read_file(dir / "log") == Bytes(100, 'x'));
  close(fd);
}

TEST_CASE("a full disk stops the recording with an error and nothing else") {
  if (access("/dev/full", W_OK) != 0) return;
  const auto writer = RecordingWriter::open("/dev/full", 1u << 30);
  REQUIRE_FALSE(writer.ok());
  CHECK(absl::StrContains(writer.status().message(), "No space left"));
}

TEST_CASE("this process's file size limit ends the recording, not the process") {
  const TempDir dir;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 200 << 10;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  RecordMaker maker(3);
  for (int i = 0; i < 1000 && !(*writer)->stopped(); ++i) maker.make(1000, **writer);
  CHECK((*writer)->stopped());
  CHECK((*writer)->close().ok());
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  KeepingSink sink;
  const auto info = replay_recording(dir / "a.gsrec", sink);
  REQUIRE(info.ok());
  CHECK(info->stopped_at_limit);
}

TEST_CASE("a write error in the middle keeps what was there, and is kept in status()") {
  // The limit is taken at open(): lowered afterwards, and with its signal off, write() fails.
  const TempDir dir;
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  KeepingSink before, after;
  RecordMaker maker(3);
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  rlimit small = old;
  small.rlim_cur = 200 << 10;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  for (int i = 0; i < 1000 && !(*writer)->stopped(); ++i) maker.make(1000, **writer, before);
  const absl::Status closed = (*writer)->close();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK((*writer)->stopped());
  CHECK_FALSE(closed.ok());
  CHECK((*writer)->status() == closed);
  CHECK(absl::StrContains(closed.message(), "a.gsrec"));
  const auto info = replay_recording(dir / "a.gsrec", after);
  REQUIRE(info.ok());
  CHECK(info->records > 0);
  CHECK(info->complete);
  CHECK(info->write_failed);
  REQUIRE(after.bytes.size() < before.bytes.size());
  CHECK(std::equal(after.bytes.begin(), after.bytes.end(), before.bytes.begin()));
}

TEST_CASE("a forked child's copy of the writer leaves the file alone") {
  const TempDir dir;
  KeepingSink before, after;
  auto writer = RecordingWriter::open(dir / "a.gsrec", 1u << 30);
  REQUIRE(writer.ok());
  RecordMaker maker(3);
  maker.make(100, **writer, before);
  const pid_t child = fork();
  if (child == 0) {
    RecordMaker(9).make(5000, **writer);
    (*writer)->close().IgnoreError();
    _exit(0);
  }
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  CHECK(state == 0);
  CHECK((*writer)->bytes_written() == recording::kHeaderBytes);
  CHECK(read_file(dir / "a.gsrec").size() == recording::kHeaderBytes);
  maker.make(100, **writer, before);
  CHECK((*writer)->close().ok());
  REQUIRE(replay_recording(dir / "a.gsrec", after).ok());
  CHECK(after.bytes == before.bytes);
}
