// gapscope.hpp against a C interface that only writes down how it was called: which calls a Session
// and a Range make, and that they make none when their beginning failed.
#include <gapscope/gapscope.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.h"

namespace {

struct Calls {
  std::vector<std::string> made;
  gapscope_options options = {};
  std::string report_path;
  gapscope_status answer = GAPSCOPE_OK;

  static Calls& instance() {
    static Calls calls;
    return calls;
  }
  gapscope_status add(const std::string& call) {
    made.push_back(call);
    return answer;
  }
};

using Strings = std::vector<std::string>;

Calls& fresh(gapscope_status answer) {
  Calls::instance() = Calls();
  Calls::instance().answer = answer;
  return Calls::instance();
}

}  // namespace

extern "C" {
const char* gapscope_version(void) { return "9.8.7"; }
const char* gapscope_status_string(gapscope_status status) {
  return status == GAPSCOPE_NO_CUPTI ? "no libcupti" : "other";
}
gapscope_status gapscope_state(void) { return Calls::instance().add("state"); }
gapscope_status gapscope_start(const gapscope_options* options) {
  Calls::instance().options = *options;
  if (options->report_path) Calls::instance().report_path = options->report_path;
  return Calls::instance().add("start");
}
gapscope_status gapscope_stop(void) { return Calls::instance().add("stop"); }
gapscope_status gapscope_step(void) { return Calls::instance().add("step"); }
gapscope_status gapscope_range_push(const char* name) {
  return Calls::instance().add(std::string("push ") + name);
}
gapscope_status gapscope_range_pop(void) { return Calls::instance().add("pop"); }
gapscope_status gapscope_report(const char* path) {
  return Calls::instance().add(std::string("report ") + path);
}
}

TEST_CASE("a session that started stops once") {
  Calls& calls = fresh(GAPSCOPE_OK);
  {
    gapscope::Session session;
    CHECK(session.running());
    CHECK(session.status() == gapscope::Status::ok);
  }
  CHECK(calls.made == Strings{"start", "stop"});
}

TEST_CASE("stop() before the destructor, which then does nothing") {
  Calls& calls = fresh(GAPSCOPE_OK);
  {
    gapscope::Session session;
    CHECK(session.stop() == gapscope::Status::ok);
    CHECK_FALSE(session.running());
    CHECK(session.stop() == gapscope::Status::not_running);
  }
  CHECK(calls.made == Strings{"start", "stop"});
}

TEST_CASE("an error while stopping is handed on and stays") {
  Calls& calls = fresh(GAPSCOPE_OK);
  gapscope::Session session;
  calls.answer = GAPSCOPE_IO_ERROR;
  CHECK(session.stop() == gapscope::Status::io_error);
  CHECK(session.status() == gapscope::Status::io_error);
}

TEST_CASE("a session that something else began, or that failed, is never stopped") {
  const gapscope_status answer =
      GENERATE(GAPSCOPE_ALREADY_STARTED, GAPSCOPE_DISABLED, GAPSCOPE_NO_CUPTI);
  Calls& calls = fresh(answer);
  {
    gapscope::Session session;
    CHECK_FALSE(session.running());
    CHECK(static_cast<int>(session.status()) == static_cast<int>(answer));
  }
  CHECK(calls.made == Strings{"start"});
}

TEST_CASE("options reach the library with their size") {
  Calls& calls = fresh(GAPSCOPE_OK);
  gapscope::Options options;
  options.report_path = "a.json";
  options.quiet = true;
  gapscope::Session session(options);
  CHECK(calls.options.size == sizeof(gapscope_options));
  CHECK(calls.report_path == "a.json");
  CHECK(calls.options.record_path == nullptr);
  CHECK(calls.options.quiet == 1);
}

TEST_CASE("ranges nest, and close only what they opened") {
  Calls& calls = fresh(GAPSCOPE_OK);
  {
    gapscope::Range outer("outer");
    calls.answer = GAPSCOPE_NOT_RUNNING;
    gapscope::Range refused("refused");
    calls.answer = GAPSCOPE_OK;
    gapscope::Range inner("inner");
  }
  CHECK(calls.made == Strings{"push outer", "push refused", "push inner", "pop", "pop"});
}

TEST_CASE("free functions hand through") {
  Calls& calls = fresh(GAPSCOPE_NOT_RUNNING);
  CHECK(gapscope::step() == gapscope::Status::not_running);
  CHECK(gapscope::state() == gapscope::Status::not_running);
  CHECK(gapscope::report("out.json") == gapscope::Status::not_running);
  CHECK(calls.made == Strings{"step", "state", "report out.json"});
  CHECK(std::string(gapscope::version()) == "9.8.7");
  CHECK(std::string(gapscope::to_string(gapscope::Status::no_cupti)) == "no libcupti");
}

TEST_CASE("objects that own something cannot be copied or moved") {
  CHECK_FALSE(std::is_copy_constructible_v<gapscope::Session>);
  CHECK_FALSE(std::is_move_constructible_v<gapscope::Session>);
  CHECK_FALSE(std::is_copy_assignable_v<gapscope::Range>);
  CHECK(std::is_nothrow_constructible_v<gapscope::Session, const gapscope::Options&>);
}
