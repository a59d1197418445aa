#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "catch.h"
#include "host/sample_merger.h"
#include "host/system_calls.h"
#include "host/text_table.h"
#include "host/thread_census.h"
#include "host/thread_probe.h"
#include "host/throttle_watch.h"
#include "runtime/clock.h"

namespace gapscope {

TEST_CASE("system calls have their names") {
  CHECK(system_call_name(SYS_futex) == "futex");
  CHECK(system_call_name(SYS_clock_nanosleep) == "clock_nanosleep");
  CHECK(system_call_name(SYS_read) == "read");
  CHECK(system_call_name(-1).empty());
  CHECK(system_call_name(100'000).empty());
  CHECK(takes_file_descriptor("read"));
  CHECK_FALSE(takes_file_descriptor("futex"));
}

TEST_CASE("files of /proc are taken apart") {
  SystemCallState state;
  REQUIRE(parse_system_call("running\n", &state));
  CHECK(state.running);
  REQUIRE(parse_system_call("-1 0x7ffe 0x7f\n", &state));
  CHECK_FALSE(state.running);
  CHECK(state.number == -1);
  REQUIRE(parse_system_call("202 0x7f00aa 0x80\n", &state));
  CHECK(state.number == 202);
  CHECK(state.argument == 0x7f00aa);
  CHECK_FALSE(parse_system_call("", &state));
  CHECK(parse_stat_state("12 (a) b) S 1 2") == 'S');
  CHECK(parse_stat_state("12 (a") == '?');
  CHECK(parse_stat_state("") == '?');
}

TEST_CASE("a thread's CPU clock is found from its id") {
  std::atomic<int> step{0};
  std::atomic<std::uint32_t> tid{0};
  std::uint64_t own = 0;
  std::thread thread([&] {
    tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    while (step == 0) {
    }
    own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    step = 2;
    char byte = 0;
    while (step == 2) usleep(1000);
    (void)byte;
  });
  while (tid == 0) usleep(100);
  usleep(20'000);
  step = 1;
  while (step != 2) usleep(100);
  const ThreadProbe probe(tid);
  std::uint64_t seen = 0;
  REQUIRE(probe.cpu_ns(&seen));
  CHECK(own > 0);
  CHECK(seen >= own);
  CHECK(seen < own + 1'000'000'000);
  step = 3;
  thread.join();
  // Its id may have been given to nobody since.
  CHECK_FALSE(ThreadProbe(0x3fffff0).cpu_ns(&seen));
}

TEST_CASE("what a blocked thread waits in is named") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::atomic<std::uint32_t> tid{0};
  std::thread thread([&] {
    tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    char byte = 0;
    while (read(ends[0], &byte, 1) != 1) {
    }
  });
  while (tid == 0) usleep(100);
  ThreadProbe probe(tid);
  ThreadWait wait;
  for (int i = 0; i < 5000 && wait.where.empty(); ++i) {
    usleep(1000);
    wait = probe.wait();
  }
  CHECK(wait.state == 'S');
  // Where the kernel hides system calls, its wait channel is all there is.
  CHECK((wait.where == "read(pipe)" || wait.where.find("pipe") != std::string::npos));
  CHECK_FALSE(probe.is_runnable());
  REQUIRE(write(ends[1], "x", 1) == 1);
  thread.join();
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("throttling: both kinds of cpu.stat") {
  CHECK(throttled_ns("usage_usec 5\nnr_throttled 2\nthrottled_usec 12\n") == 12'000u);
  CHECK(throttled_ns("nr_periods 1\nnr_throttled 2\nthrottled_time 12\n") == 12u);
  CHECK_FALSE(throttled_ns("usage_usec 5\n"));
  CHECK_FALSE(throttled_ns(""));
}

TEST_CASE("throttling: where a process's groups are") {
  using Paths = std::vector<std::string>;
  CHECK(cpu_stat_paths("0::/\n", "/r") == Paths{"/r/cpu.stat"});
  CHECK(cpu_stat_paths("0::/a/b\n", "/r") ==
        Paths{"/r/a/b/cpu.stat", "/r/a/cpu.stat", "/r/cpu.stat"});
  CHECK(cpu_stat_paths("4:cpu,cpuacct:/a\n3:memory:/a\n", "/r") ==
        Paths{"/r/cpu,cpuacct/a/cpu.stat", "/r/cpu,cpuacct/cpu.stat", "/r/cpu/a/cpu.stat",
              "/r/cpu/cpu.stat"});
  CHECK(cpu_stat_paths("garbage\n::\n", "/r").empty());
}

TEST_CASE("throttling: growth becomes a record") {
  const std::string path = "host_throttle_test.stat";
  const auto write_stat = [&](int ns) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fprintf(file, "nr_throttled 1\nthrottled_time %d\n", ns);
    std::fclose(file);
  };
  write_stat(100);
  ThrottleWatch watch;
  watch.open({path, "does/not/exist"});
  CHECK(watch.any());
  CHECK_FALSE(watch.poll(1000));
  CHECK_FALSE(watch.poll(2000));
  write_stat(400);
  const auto record = watch.poll(3000);
  REQUIRE(record);
  CHECK(record->begin_ns == 2000);
  CHECK(record->end_ns == 3000);
  CHECK(record->throttled_ns == 300);
  CHECK_FALSE(watch.poll(4000));
  std::remove(path.c_str());
}

TEST_CASE("texts are announced once, before their first use, and are bounded") {
  ByteRing ring(64 << 10);
  TextTable texts(ring, 3);
  CHECK(texts.id("") == kNoString);
  const std::uint32_t a = texts.id("a");
  CHECK(texts.id("a") == a);
  CHECK(texts.id(std::string(2000, 'x')) != a);
  CHECK(texts.id("c") == 3);
  const std::uint32_t overflow = texts.id("d");
  CHECK(texts.id("e") == overflow);
  std::vector<std::string> seen;
  ring.drain([&](const RecordHeader& record) {
    seen.emplace_back(trailing_text<StringDefRecord>(record));
  });
  CHECK(seen == std::vector<std::string>{"a", std::string(TextTable::kMaxTextBytes, 'x'), "c",
                                         "(too many names)"});
}

TEST_CASE("a text that found the ring full is announced later") {
  ByteRing ring(16 << 10);
  TextTable texts(ring);
  std::size_t announced = 0;
  while (texts.id("text " + std::to_string(announced)) != kNoString) ++announced;
  CHECK(announced > 100);
  ring.drain([](const RecordHeader&) {});
  CHECK(texts.id("text " + std::to_string(announced)) != kNoString);
}

TEST_CASE("neighbouring samples that say the same become one") {
  struct Sink : RecordSink {
    std::vector<ThreadSampleRecord> seen;
    void consume(const RecordHeader& h) override {
      seen.push_back(record_cast<ThreadSampleRecord>(h));
    }
  } sink;
  SampleMerger merger;
  const auto add = [&](std::uint32_t tid, std::uint64_t begin, std::uint64_t end, std::uint64_t cpu,
                       std::uint32_t wait, std::uint32_t frame) {
    struct {
      ThreadSampleRecord sample = make_record<ThreadSampleRecord>();
      std::uint32_t frames[2] = {};
    } record;
    record.sample.header.thread = tid;
    record.sample.header.size_bytes = sizeof(record);
    record.sample.begin_ns = begin;
    record.sample.end_ns = end;
    record.sample.on_cpu_ns = cpu;
    record.sample.os_thread_id = tid;
    record.sample.wait_id = wait;
    record.sample.frame_count = 1;
    record.frames[0] = frame;
    merger.add(record.sample.header, sink);
  };
  const std::uint64_t ms = 1'000'000;
  add(1, 10 * ms, 12 * ms, 0, 5, 7);
  add(2, 10 * ms, 12 * ms, 0, 5, 7);  // another thread, in between
  add(1, 12 * ms, 14 * ms, ms / 2, 5, 7);
  CHECK(sink.seen.empty());
  add(1, 14 * ms, 16 * ms, 0, 5, 8);        // another frame
  add(1, 16 * ms, 18 * ms, 0, 6, 8);        // another wait
  add(1, 18 * ms, 20 * ms, 2 * ms, 6, 8);   // ran
  add(1, 30 * ms, 32 * ms, 2 * ms, 6, 8);   // a hole before it
  add(1, 32 * ms, 52 * ms, 20 * ms, 6, 8);  // would be too long
  merger.flush(sink);
  REQUIRE(sink.seen.size() == 7);
  CHECK(sink.seen[0].begin_ns == 10 * ms);
  CHECK(sink.seen[0].end_ns == 14 * ms);
  CHECK(sink.seen[0].on_cpu_ns == ms / 2);
  std::uint64_t covered = 0;
  for (const ThreadSampleRecord& s : sink.seen) covered += s.end_ns - s.begin_ns;
  CHECK(covered == 34 * ms);  // nothing is lost
  sink.seen.clear();
  merger.flush(sink);
  CHECK(sink.seen.empty());
}

TEST_CASE("threads that serve are not waited for") {
  CHECK(ThreadCensus::is_service("gapscope-coll"));
  CHECK(ThreadCensus::is_service("cuda-EvtHandlr"));
  CHECK_FALSE(ThreadCensus::is_service("pt_autograd_0"));
}

}  // namespace gapscope
