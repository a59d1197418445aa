// The snapshot that a session keeps of itself, without CUDA: runtime_fake_backend.h.
#include <unistd.h>

#include <thread>

#include "catch.h"
#include "report/report_json.h"
#include "report/snapshot.h"
#include "report_invariants.h"
#include "runtime/closer.h"
#include "runtime/file_output.h"
#include "runtime/session.h"
#include "runtime/snapshot_folder.h"
#include "runtime_fake_backend.h"
#include "runtime_temp_folder.h"

using namespace gapscope;
using gapscope::test::FakeBackend;
using gapscope::test::TempFolder;

namespace {

struct Run {
  explicit Run(std::uint64_t snapshot_ms = 100) {
    Config config;
    config.quiet = true;
    config.snapshot_folder = folder.file("snapshots");
    config.snapshot_ms = snapshot_ms;
    config.exit_wait_ms = 200;
    config.host = false;
    auto owned = std::make_unique<FakeBackend>();
    backend = owned.get();
    session = std::make_unique<Session>(std::move(config), std::move(owned));
    REQUIRE(session->start().ok());
  }
  std::string path() const {
    return snapshot_path(session->config().snapshot_folder, getpid(), "");
  }
  report::Report report() const {
    auto read = report::read_report(path());
    REQUIRE(read.ok());
    return *read;
  }
  // Until the snapshot holds so many operations; a test that hangs here has failed.
  report::Report await(std::int64_t operations) const {
    while (true) {
      if (access(path().c_str(), F_OK) == 0) {
        report::Report now = report();
        REQUIRE(now.records.seen <= operations);
        if (now.records.seen == operations) return now;
      }
      usleep(1000);
    }
  }
  TempFolder folder;
  FakeBackend* backend;
  std::unique_ptr<Session> session;
};

}  // namespace

TEST_CASE("a session rewrites its snapshot while there is anything new, and ends with the report") {
  Run run;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    run.backend->launch(i, 1000);
    const report::Report snapshot = run.await(i);
    REQUIRE_REPORT_HOLDS(snapshot);
    CHECK(report::is_snapshot(snapshot));
    CHECK(snapshot.process.pid == getpid());
  }
  REQUIRE(run.session->stop(3, true));
  const report::Report report = run.report();
  REQUIRE_REPORT_HOLDS(report);
  CHECK_FALSE(report::is_snapshot(report));
  CHECK(report.records.seen == 3);
  CHECK(report.process.exit_status == "3");
}

TEST_CASE("a session without records leaves no file and no folder") {
  Run run;
  usleep(300'000);
  CHECK(access(run.session->config().snapshot_folder.c_str(), F_OK) != 0);
  REQUIRE(run.session->stop(0, true));
  CHECK(access(run.session->config().snapshot_folder.c_str(), F_OK) != 0);
}

TEST_CASE("a session that ends before the first snapshot leaves its report all the same") {
  Run run(60'000);
  run.backend->launch(1, 1000);
  REQUIRE(run.session->stop(0, true));
  CHECK_FALSE(report::is_snapshot(run.report()));
}

TEST_CASE("a snapshot that is asked for comes before its time") {
  Run run(3'600'000);
  run.backend->launch(1, 1000);
  run.await(1);  // the first one, after two seconds
  run.backend->launch(2, 1000);
  while (run.report().records.seen != 2) {
    run.session->request_snapshot();
    usleep(1000);
  }
  REQUIRE(run.session->stop(0, true));
}

TEST_CASE("a file beside the snapshot asks for a new one, and goes when it is there") {
  Run run(3'600'000);
  run.backend->launch(1, 1000);
  run.await(1);
  run.backend->launch(2, 1000);
  const std::string ask = snapshot_ask_path(run.path());
  while (run.report().records.seen != 2) {
    REQUIRE(write_file(ask, "").ok());
    while (access(ask.c_str(), F_OK) == 0) usleep(1000);
  }
  REQUIRE(run.session->stop(0, true));
}

TEST_CASE("after a pause of the program its snapshot follows again") {
  Run run(100);
  run.backend->launch(1, 1000);
  run.await(1);
  usleep(1'500'000);  // until nobody expects anything new
  run.backend->launch(2, 1000);
  run.await(2);
  REQUIRE(run.session->stop(0, true));
}

TEST_CASE("reports can be asked for by many threads at once") {
  Run run(100);
  run.backend->launch(1, 1000);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&run, &good, t] {
      const std::string path = run.folder.file("r" + std::to_string(t));
      for (int i = 0; i < 10; ++i) {
        const bool written = run.session->write_report(path);
        good += written && report::read_report(path).ok() ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good.load() == 80);
  REQUIRE(run.session->stop(0, true));
  // After the end it is the whole report.
  REQUIRE(run.session->write_report(run.folder.file("late")));
  CHECK(report::read_report(run.folder.file("late"))->process.end_ns > 0);
}

TEST_CASE("a folder that cannot be used costs the snapshots, nothing else") {
  Run run;
  REQUIRE(symlink("/tmp", run.session->config().snapshot_folder.c_str()) == 0);
  run.backend->launch(1, 1000);
  REQUIRE(run.session->stop(0, true));
  CHECK(access(run.path().c_str(), F_OK) != 0);
}

TEST_CASE("a closer ends the session for many callers, and all of them see the end") {
  Run run;
  run.backend->launch(1, 1000);
  static Closer* const closer = new Closer(*run.session);  // its thread may outlive the test
  REQUIRE(closer->start());
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      closer->end(7, true);
      ended += run.session->state() == Session::State::done ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(ended.load() == 4);
  CHECK(run.report().process.exit_status == "7");
}

TEST_CASE("a closer waits for an end that is under way on another thread") {
  Run run;
  run.backend->launch(1, 1000, true);  // its record never comes: the end takes its time
  static Closer* const closer = new Closer(*run.session);
  REQUIRE(closer->start());
  bool stopped = false;
  std::thread other([&] { stopped = run.session->stop(0, true); });
  while (run.session->state() == Session::State::running) usleep(100);
  closer->end(1, true);
  CHECK(run.session->state() == Session::State::done);
  other.join();
  CHECK(stopped);
}
