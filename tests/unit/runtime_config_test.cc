#include <unistd.h>

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "catch.h"
#include "runtime/config.h"
#include "runtime/config_table.h"

using namespace gapscope;

namespace {

Config load(const Environment& environment, std::size_t expected_complaints = 0) {
  std::vector<std::string> complaints;
  Config config = load_config(environment, &complaints);
  for (const auto& line : complaints) {
    INFO(line);
    CHECK(line.find('\n') == std::string::npos);
  }
  CHECK(complaints.size() == expected_complaints);
  return config;
}

std::string only_complaint(const Environment& environment) {
  std::vector<std::string> complaints;
  load_config(environment, &complaints);
  REQUIRE(complaints.size() == 1);
  return complaints[0];
}

}  // namespace

TEST_CASE("an empty environment gives the defaults") {
  const Config config = load({});
  CHECK(config.enabled);
  CHECK(config.report_path.empty());
  CHECK(config.record_limit_bytes == 1ull << 30);
  CHECK(config.capture.mode == CaptureSpec::Mode::all);
  CHECK(config.capture_text == "all");
  CHECK(config.ring_bytes == 512u << 10);
  CHECK(config.rank.empty());
  CHECK_FALSE(config.no_color);
  CHECK_FALSE(config.utf8_locale);
}

TEST_CASE("every default in the table is what Config holds") {
  const Config defaults;
  for (const config::Row& row : config::table()) {
    INFO(row.option.name);
    if (row.option.default_value.empty()) continue;
    Config config;
    REQUIRE(row.set(row.option.default_value, {}, config));
    CHECK(config.enabled == defaults.enabled);
    CHECK(config.quiet == defaults.quiet);
    CHECK(config.verbose == defaults.verbose);
    CHECK(config.host == defaults.host);
    CHECK(config.anonymous == defaults.anonymous);
    CHECK(config.colour == defaults.colour);
    CHECK(config.graphs == defaults.graphs);
    CHECK(config.capture_text == defaults.capture_text);
    CHECK(config.record_limit_bytes == defaults.record_limit_bytes);
    CHECK(config.trace_limit_bytes == defaults.trace_limit_bytes);
    CHECK(config.ring_bytes == defaults.ring_bytes);
    CHECK(config.buffer_bytes == defaults.buffer_bytes);
    CHECK(config.buffer_limit_bytes == defaults.buffer_limit_bytes);
    CHECK(config.flush_ms == defaults.flush_ms);
    CHECK(config.exit_wait_ms == defaults.exit_wait_ms);
    CHECK(config.snapshot == defaults.snapshot);
    CHECK(config.snapshot_ms == defaults.snapshot_ms);
    CHECK(config.sigterm == defaults.sigterm);
    CHECK(config.page_ranks == defaults.page_ranks);
    CHECK(config.yield == defaults.yield);
  }
}

TEST_CASE("every variable reaches its field") {
  const Config config = load({{"GAPSCOPE_ENABLED", "0"},
                              {"GAPSCOPE_REPORT", "/r.json"},
                              {"GAPSCOPE_RECORD", "/r.gsrec"},
                              {"GAPSCOPE_RECORD_LIMIT", "2MB"},
                              {"GAPSCOPE_TRACE", "/t.json.gz"},
                              {"GAPSCOPE_TRACE_LIMIT", "3MB"},
                              {"GAPSCOPE_HTML", "/page.html"},
                              {"GAPSCOPE_CAPTURE", "range"},
                              {"GAPSCOPE_GRAPHS", "graph"},
                              {"GAPSCOPE_QUIET", "1"},
                              {"GAPSCOPE_OUTPUT", "/page.txt"},
                              {"GAPSCOPE_COLOR", "never"},
                              {"GAPSCOPE_CUPTI_PATH", "/cupti"},
                              {"GAPSCOPE_RING_SIZE", "1MiB"},
                              {"GAPSCOPE_BUFFER_SIZE", "1MiB"},
                              {"GAPSCOPE_BUFFER_LIMIT", "16MiB"},
                              {"GAPSCOPE_FLUSH_MS", "250"},
                              {"GAPSCOPE_EXIT_WAIT_MS", "0"},
                              {"GAPSCOPE_VERBOSE", "1"},
                              {"GAPSCOPE_HOST", "0"},
                              {"GAPSCOPE_ANONYMOUS", "1"},
                              {"GAPSCOPE_SNAPSHOT", "/snap/%r"},
                              {"GAPSCOPE_SNAPSHOT_MS", "500"},
                              {"GAPSCOPE_SIGTERM", "1"},
                              {"GAPSCOPE_RANKS", "all"},
                              {"GAPSCOPE_YIELD", "1"},
                              {"GAPSCOPE_RUN_ID", "run-1-2"},
                              {"NO_COLOR", "1"},
                              {"CUDA_HOME", "/cuda"}});
  CHECK_FALSE(config.enabled);
  CHECK(config.report_path == "/r.json");
  CHECK(config.record_path == "/r.gsrec");
  CHECK(config.record_limit_bytes == 2000000);
  CHECK(config.trace_path == "/t.json.gz");
  CHECK(config.trace_limit_bytes == 3000000);
  CHECK(config.html_path == "/page.html");
  CHECK(config.capture.mode == CaptureSpec::Mode::range);
  CHECK(config.capture_text == "range");
  CHECK(config.graphs == GraphMode::graph);
  CHECK(config.quiet);
  CHECK(config.output_path == "/page.txt");
  CHECK(config.colour == ColourMode::never);
  CHECK(config.cupti_path == "/cupti");
  CHECK(config.ring_bytes == 1u << 20);
  CHECK(config.buffer_bytes == 1u << 20);
  CHECK(config.buffer_limit_bytes == 16u << 20);
  CHECK(config.flush_ms == 250);
  CHECK(config.exit_wait_ms == 0);
  CHECK(config.verbose);
  CHECK_FALSE(config.host);
  CHECK(config.anonymous);
  CHECK(config.snapshot_folder == "/snap/0");
  CHECK(config.snapshot_ms == 500);
  CHECK(config.sigterm);
  CHECK(config.page_ranks == PageRanks::all);
  CHECK(config.yield);
  CHECK(config.run_id == "run-1-2");
  CHECK(config.no_color);
  CHECK(config.cuda_home == "/cuda");
}

TEST_CASE("snapshots lie in the user's own folder unless another is named, or none") {
  CHECK(load({}).snapshot_folder == absl::StrCat("/dev/shm/gapscope.", geteuid()));
  CHECK(load({{"GAPSCOPE_SNAPSHOT", "0"}}).snapshot_folder.empty());
  CHECK(load({{"GAPSCOPE_SNAPSHOT", "folder"}}, 1).snapshot_folder == default_snapshot_folder());
  CHECK(load({{"GAPSCOPE_RUN_ID", "../x"}}, 1).run_id.empty());
}

TEST_CASE("a variable's value names no other folder, unless the path begins with it") {
  const Environment environment = {{"OUT", "/out/a"}, {"JOB", "../../etc/x"}, {"UP", ".."}};
  CHECK(expand_path("%q{OUT}/r.json", environment) == "/out/a/r.json");
  CHECK(expand_path("/tmp/%q{JOB}.json", environment) == "/tmp/.._.._etc_x.json");
  CHECK(expand_path("/tmp/%q{UP}/%q{UP}x", environment) == "/tmp/__/__x");
}

TEST_CASE("an unknown name gives one line, with the valid one that is near") {
  CHECK(only_complaint({{"GAPSCOPE_REPROT", "x"}}) ==
        "GAPSCOPE_REPROT is not a variable of gapscope; did you mean GAPSCOPE_REPORT?");
  CHECK(absl::StrContains(only_complaint({{"GAPSCOPE_COLOUR", "never"}}), "GAPSCOPE_COLOR?"));
  CHECK(only_complaint({{"GAPSCOPE_FOO", "1"}}) ==
        "GAPSCOPE_FOO is not a variable of gapscope; 'gapscope help env' lists them");
  CHECK(absl::StrContains(only_complaint({{"GAPSCOPE_" + std::string(100000, 'x'), ""}}),
                          "'gapscope help env' lists them"));
  CHECK(absl::StrContains(only_complaint({{"GAPSCOPE_", ""}}), "'gapscope help env' lists them"));
  CHECK(load({{"GAPSCOPES", "x"}, {"MY_GAPSCOPE_REPORT", "x"}}).report_path.empty());
}

TEST_CASE("a bad value gives one line with the range, and the default is used") {
  CHECK(only_complaint({{"GAPSCOPE_FLUSH_MS", "5"}}) ==
        "GAPSCOPE_FLUSH_MS=5 is not milliseconds from 10 to 60000; using the default, 300");
  CHECK(load({{"GAPSCOPE_FLUSH_MS", "5"}}, 1).flush_ms == 300);
  CHECK(load({{"GAPSCOPE_RECORD_LIMIT", "1 parsec"}}, 1).record_limit_bytes == 1ull << 30);
  CHECK(load({{"GAPSCOPE_RECORD_LIMIT", "99999999999999999999"}}, 1).record_limit_bytes ==
        1ull << 30);
  CHECK(load({{"GAPSCOPE_ENABLED", "maybe"}}, 1).enabled);
  CHECK(load({{"GAPSCOPE_GRAPHS", "edges"}}, 1).graphs == GraphMode::node);
  CHECK(load({{"GAPSCOPE_COLOR", "blue"}}, 1).colour == ColourMode::auto_);
  CHECK(load({{"GAPSCOPE_CAPTURE", "steps:9-3"}}, 1).capture_text == "all");
  const std::string line =
      only_complaint({{"GAPSCOPE_QUIET", "a\nb\x1b[31m" + std::string(99, 'q')}});
  CHECK(absl::StrContains(line, "a\\x0ab\\x1b[31m"));
  CHECK(line.size() < 200);
}

TEST_CASE("an empty value is no value, and the first of two entries counts") {
  CHECK(load({{"GAPSCOPE_ENABLED", ""}, {"GAPSCOPE_FLUSH_MS", ""}}).enabled);
  CHECK(load({{"GAPSCOPE_FLUSH_MS", "100"}, {"GAPSCOPE_FLUSH_MS", "bad"}}).flush_ms == 100);
}

TEST_CASE("sizes that do not go together are mended and said") {
  CHECK(load({{"GAPSCOPE_RING_SIZE", "100000"}}).ring_bytes == 131072);
  CHECK(load({{"GAPSCOPE_BUFFER_SIZE", "64MiB"}}, 1).buffer_limit_bytes == 128u << 20);
  CHECK(absl::StrContains(only_complaint({{"GAPSCOPE_BUFFER_LIMIT", "5MiB"}}), "8MiB"));
}

TEST_CASE("complaints may be left out") {
  CHECK(load_config({{"GAPSCOPE_NOPE", "1"}, {"GAPSCOPE_QUIET", "x"}}, nullptr).quiet == false);
}

TEST_CASE("rows are complete and their names differ") {
  std::set<std::string_view> names;
  for (const ConfigOption& option : config_options()) {
    INFO(option.name);
    CHECK(absl::StartsWith(option.name, "GAPSCOPE_"));
    CHECK_FALSE(option.help.empty());
    CHECK_FALSE(option.type.empty());
    CHECK(names.insert(option.name).second);
  }
  CHECK(names.size() == config::table().size());
}

TEST_CASE("the help text names every public variable and fits 80 columns") {
  const std::string help = config_help();
  for (const ConfigOption& option : config_options()) {
    INFO(option.name);
    CHECK(absl::StrContains(help, absl::StrCat("\n", option.name, "=")) == !option.internal);
  }
  for (const std::string_view line : absl::StrSplit(help, '\n')) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("of the environment only a fixed list of variables is kept for the report") {
  const Config config = load_config({{"CUDA_VISIBLE_DEVICES", "1"},
                                     {"AWS_SECRET_ACCESS_KEY", "secret"},
                                     {"WANDB_API_KEY", "secret"},
                                     {"OMP_NUM_THREADS", ""},
                                     {"CONDA_PREFIX", "/opt/conda"}},
                                    nullptr);
  const std::vector<std::pair<std::string, std::string>> wanted = {{"CUDA_VISIBLE_DEVICES", "1"},
                                                                   {"CONDA_PREFIX", "/opt/conda"}};
  CHECK(config.recorded_variables == wanted);
}

TEST_CASE("this process's environment is read") {
  const Environment environment = environ_entries();
  CHECK_FALSE(environment_value(environment, "PATH").empty());
  CHECK(environment_value(environment, "GAPSCOPE_surely_not_set").empty());
}
