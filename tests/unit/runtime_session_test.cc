#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "report/report_json.h"
#include "report_invariants.h"
#include "runtime/session.h"
#include "runtime_fake_backend.h"

using namespace gapscope;
using gapscope::test::FakeBackend;

namespace {

std::string temp_path(const char* name) {
  return "/tmp/gapscope-session-" + std::to_string(getpid()) + "-" + name;
}

Config quiet_config(const char* name) {
  Config config;
  config.quiet = true;
  config.report_path = temp_path(name);
  config.exit_wait_ms = 200;
  return config;
}

struct Run {
  explicit Run(const char* name, Config (*make)(const char*) = &quiet_config) {
    auto owned = std::make_unique<FakeBackend>();
    backend = owned.get();
    session = std::make_unique<Session>(make(name), std::move(owned));
  }
  report::Report report() const {
    auto read = report::read_report(session->config().report_path);
    REQUIRE(read.ok());
    unlink(session->config().report_path.c_str());
    return *read;
  }
  FakeBackend* backend;
  std::unique_ptr<Session> session;
};

}  // namespace

TEST_CASE("a session reports what was launched, marked and timed") {
  Run run("basic");
  REQUIRE(run.session->start().ok());
  for (std::uint32_t i = 1; i <= 50; ++i) {
    run.backend->launch(i, 1000);
    if (i % 10 == 0) run.session->mark(MarkKind::step);
  }
  REQUIRE(run.session->stop(0, true));
  CHECK_FALSE(run.backend->recording.load());
  CHECK(run.backend->forced.load() == 1);
  const report::Report report = run.report();
  REQUIRE_REPORT_HOLDS(report);
  REQUIRE(report.whole.devices.size() == 1);
  REQUIRE(report.whole.devices[0].kernels.size() == 1);
  CHECK(report.whole.devices[0].kernels[0].time.count == 50);
  CHECK(report.whole.devices[0].kernels[0].time.total_ns == 50'000);
  CHECK(report.records.seen == 50);
  CHECK(report.records.unmatched == 0);
  CHECK(report.process.pid == getpid());
  CHECK(report.process.exit_status == "0");
  CHECK_FALSE(run.session->stop(0, true));
  CHECK(run.session->state() == Session::State::done);
}

TEST_CASE("a launch whose record never comes is unmatched, and the exit does not wait for ever") {
  Run run("lost");
  REQUIRE(run.session->start().ok());
  run.backend->launch(1, 1000);
  run.backend->launch(2, 1000, true);
  run.backend->launch(3, 1000);
  REQUIRE(run.session->stop(0, true));
  const report::Report report = run.report();
  REQUIRE_REPORT_HOLDS(report);
  CHECK(report.records.seen == 2);
  CHECK(report.records.unmatched == 1);
}

TEST_CASE("a flush that hangs costs its records, not the report") {
  Run run("hang");
  REQUIRE(run.session->start().ok());
  run.backend->hang.store(true);  // before the launch: no flush may come between the two
  run.backend->launch(1, 1000);
  REQUIRE(run.session->stop(0, true));
  const report::Report report = run.report();
  CHECK(report.records.seen == 0);
  CHECK(report.records.unmatched == 1);
  run.backend->hang.store(false);
  // The detached flush thread still uses both: they must outlive it, as in a real process.
  usleep(300'000);
  static Session* const kept = run.session.release();  // reachable: left behind, not leaked
  CHECK(kept != nullptr);
}

TEST_CASE("a collector without memory does not hold up the exit") {
  Run run("memory");
  REQUIRE(run.session->start().ok());
  run.backend->launch(1, 1000);
  run.backend->no_memory.store(true);
  run.backend->launch(2, 1000);
  while (run.backend->recording.load()) std::this_thread::yield();
  const std::uint64_t begin = monotonic_ns();
  REQUIRE(run.session->stop(0, true));
  CHECK(monotonic_ns() - begin < 5'000'000'000);  // it waited 10 s for an end that could not come
}

TEST_CASE("a backend that cannot start leaves the session failed and silent") {
  Run run("failed");
  run.backend->start_status = absl::PermissionDeniedError("not permitted");
  CHECK_FALSE(run.session->start().ok());
  CHECK(run.session->state() == Session::State::failed);
  CHECK_FALSE(run.session->mark(MarkKind::step));
  CHECK_FALSE(run.session->stop(0, true));
}

TEST_CASE("a snapshot can be written while the session runs") {
  Run run("snapshot");
  REQUIRE(run.session->start().ok());
  run.backend->launch(1, 1000);
  const std::string path = temp_path("now");
  REQUIRE(run.session->write_report(path));
  REQUIRE(report::read_report(path).ok());
  CHECK_FALSE(run.session->write_report("/nonexistent-folder/x.json"));
  unlink(path.c_str());
  REQUIRE(run.session->stop(0, true));
  run.report();
}

TEST_CASE("a recording replays to the report of the live run, entry for entry") {
  Run run("replay", [](const char* name) {
    Config config = quiet_config(name);
    config.record_path = temp_path("run.gsrec");
    return config;
  });
  REQUIRE(run.session->start().ok());
  for (std::uint32_t i = 1; i <= 200; ++i) {
    run.backend->launch(i, 500 + i);
    run.session->mark_text(MarkKind::range_push, "range", "domain");
    run.session->mark_text(MarkKind::range_pop, "", "domain");
    if (i % 50 == 0) usleep(30'000);
  }
  REQUIRE(run.session->stop(0, true));
  report::Report live = run.report();
  Analysis analysis({});
  const auto info = replay_recording(run.session->config().record_path, analysis);
  REQUIRE(info.ok());
  CHECK(info->complete);
  report::Report replayed = analysis.report();
  live.self = replayed.self = {};
  CHECK(report::to_json(live) == report::to_json(replayed));
  unlink(run.session->config().record_path.c_str());
}

TEST_CASE("range names take one string an operator, whatever emit_nvtx appends") {
  Run run("names", [](const char* name) {
    Config config = quiet_config(name);
    config.record_path = temp_path("names.gsrec");
    return config;
  });
  REQUIRE(run.session->start().ok());
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    run.session->mark_text(MarkKind::range_push, "aten::add, seq = " + n + ", op_id = " + n, "");
    run.session->mark_text(MarkKind::range_push, "aten::mm, op_id = " + n + ", sizes = [[1]]", "d");
    run.session->mark_text(MarkKind::range_pop, "", "");
    run.session->mark_text(MarkKind::range_pop, "", "d");
  }
  REQUIRE(run.session->stop(0, true));
  REQUIRE_REPORT_HOLDS(run.report());

  struct Names final : RecordSink {
    void consume(const RecordHeader& record) override {
      if (record.kind == RecordKind::string_def) {
        const std::string text(trailing_text<StringDefRecord>(record));
        if (text.find("aten::") != std::string::npos) texts.push_back(text);
      } else if (record.kind == RecordKind::mark) {
        const auto mark = record_cast<MarkRecord>(record);
        if (mark.mark == MarkKind::range_push) ids.insert(mark.name_id);
      }
    }
    std::vector<std::string> texts;
    std::set<std::uint32_t> ids;
  } names;
  REQUIRE(replay_recording(run.session->config().record_path, names).ok());
  unlink(run.session->config().record_path.c_str());
  CHECK(names.texts == std::vector<std::string>{"aten::add", "aten::mm"});
  CHECK(names.ids.size() == 2);
}

TEST_CASE("a clock in another domain is said on the page") {
  Run run("clock");
  run.backend->clock_offset_ns = 3'600'000'000'000;
  REQUIRE(run.session->start().ok());
  run.backend->launch(1, 1000);
  REQUIRE(run.session->stop(0, true));
  const report::Report report = run.report();
  REQUIRE_FALSE(report.warnings.empty());
  CHECK(report.warnings[0].find("clock") != std::string::npos);
}

TEST_CASE("a report has the environment of its process, and its variables") {
  Run run("environment", [](const char* name) {
    Config config = quiet_config(name);
    config.recorded_variables = {{"OMP_NUM_THREADS", "4"}};
    return config;
  });
  REQUIRE(run.session->start().ok());
  run.backend->launch(1, 1000);
  REQUIRE(run.session->stop(0, true));
  const report::Environment environment = run.report().process.environment;
  CHECK(environment.kernel.find("Linux") == 0);
  CHECK(environment.python_path.empty());
  REQUIRE(environment.variables.size() == 1);
  CHECK(environment.variables[0].value == "4");
}
