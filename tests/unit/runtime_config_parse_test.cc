#include <unistd.h>

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "catch.h"
#include "runtime/config.h"
#include "runtime/config_parse.h"

using namespace gapscope;
using namespace gapscope::config;

namespace {
constexpr std::uint64_t kSecond = 1000ull * 1000 * 1000;
}

TEST_CASE("sizes in bytes and in binary and decimal units") {
  CHECK(parse_size("0") == 0u);
  CHECK(parse_size("4096") == 4096u);
  CHECK(parse_size("64MiB") == 64u << 20);
  CHECK(parse_size("64m") == 64u << 20);
  CHECK(parse_size("3GB") == 3000000000u);
  CHECK(parse_size("1.5 GiB") == 1536ull << 20);
  CHECK(parse_size(" 2 kib ") == 2048u);
  CHECK(parse_size("7B") == 7u);
  for (const char* bad : {"", "MiB", "-1", "1e3", "1..5k", "1 Mi B", "12x", "0x10",
                          "18446744073709551616", "18446744073709551615k"}) {
    INFO(bad);
    CHECK_FALSE(parse_size(bad).has_value());
  }
}

TEST_CASE("durations") {
  CHECK(parse_duration_ns("60s") == 60 * kSecond);
  CHECK(parse_duration_ns("60") == 60 * kSecond);
  CHECK(parse_duration_ns("1.5s") == kSecond * 3 / 2);
  CHECK(parse_duration_ns("250ms") == kSecond / 4);
  CHECK(parse_duration_ns("2m") == 120 * kSecond);
  CHECK(parse_duration_ns("1h") == 3600 * kSecond);
  CHECK_FALSE(parse_duration_ns("soon").has_value());
  CHECK_FALSE(parse_duration_ns("99999999999h").has_value());
}

TEST_CASE("booleans, and nothing else") {
  CHECK(parse_bool("1") == true);
  CHECK(parse_bool("On") == true);
  CHECK(parse_bool("0") == false);
  CHECK(parse_bool("FALSE") == false);
  CHECK_FALSE(parse_bool("2").has_value());
  CHECK_FALSE(parse_bool("").has_value());
}

TEST_CASE("a formatted size reads back") {
  for (const std::uint64_t n : {0ull, 1ull, 1023ull, 1024ull, 1536ull, 1ull << 20, 5ull << 30}) {
    CHECK(parse_size(format_size(n)) == n);
  }
  CHECK(format_size(512u << 10) == "512KiB");
}

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("abc", "abxc") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(nearest("stpe", {"range", "step", "steps"}) == "step");
  CHECK(nearest("x", {}).empty());
  CHECK(nearest("foo", {"host", "html", "record"}).empty());
  CHECK(nearest("recording", {"host", "record", "record_limit"}) == "record");
}

TEST_CASE("the capture syntax") {
  CHECK(parse_capture("all")->mode == CaptureSpec::Mode::all);
  CHECK(parse_capture("range")->mode == CaptureSpec::Mode::range);
  const auto steps = parse_capture("steps:20-300");
  REQUIRE(steps.has_value());
  CHECK(steps->mode == CaptureSpec::Mode::steps);
  CHECK(steps->first == 20);
  CHECK(steps->last == 300);
  CHECK(parse_capture("steps:5-5")->last == 5);
  const auto time = parse_capture("time:60s+500ms");
  REQUIRE(time.has_value());
  CHECK(time->mode == CaptureSpec::Mode::time);
  CHECK(time->first == 60 * kSecond);
  CHECK(time->last == 60 * kSecond + kSecond / 2);
  for (const char* bad :
       {"", "ALL", "steps", "steps:", "steps:3", "steps:3-", "steps:-3", "steps:4-3", "steps:1-2-3",
        "time:5s", "time:5s+0s", "time:+5s", "time:1s+2s+3s", "range ", "steps:a-b"}) {
    INFO(bad);
    CHECK_FALSE(parse_capture(bad).has_value());
  }
}

TEST_CASE("the rank comes from the launcher that is there") {
  const auto rank = [](const Environment& e) { return load_config(e, nullptr).rank; };
  CHECK(rank({{"RANK", "3"}, {"WORLD_SIZE", "8"}}) == "3/8");
  CHECK(rank({{"RANK", "3"}}) == "3");
  CHECK(rank({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}) == "1/2");
  CHECK(rank({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "16"}}) == "5/16");
  CHECK(rank({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}) == "0/4");
  CHECK(rank({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"RANK", "2"}, {"WORLD_SIZE", "4"}}) ==
        "2/4");
  CHECK(rank({{"RANK", "gold"}}).empty());
  CHECK(rank({{"RANK", ""}, {"WORLD_SIZE", "4"}}).empty());
}

TEST_CASE("the locale's character set, as setlocale decides it") {
  const auto utf8 = [](const Environment& e) { return load_config(e, nullptr).utf8_locale; };
  CHECK(utf8({{"LANG", "en_US.UTF-8"}}));
  CHECK(utf8({{"LC_CTYPE", "C.utf8"}, {"LANG", "C"}}));
  CHECK_FALSE(utf8({{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}));
  CHECK(utf8({{"LC_ALL", ""}, {"LANG", "de_DE.UTF-8"}}));
  CHECK_FALSE(utf8({{"LANG", "de_DE.ISO-8859-1"}}));
}

TEST_CASE("patterns in paths") {
  const Environment e = {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"JOB", "train"}, {"E", ""}};
  const std::string pid = std::to_string(getpid());
  CHECK(expand_path("/tmp/a", e) == "/tmp/a");
  CHECK(expand_path("r-%p.json", e) == absl::StrCat("r-", pid, ".json"));
  CHECK(expand_path("%r", e) == "3");
  CHECK(expand_path("%r", {}) == "0");
  CHECK(expand_path("%q{JOB}-%q{NONE}-%q{E}.json", e) == "train--.json");
  CHECK(expand_path("100%%", e) == "100%");
  CHECK(expand_path("%", e) == "%");
  CHECK(expand_path("%x%q%q{JOB", e) == "%x%q%q{JOB");
  const std::string host = expand_path("%h", e);
  CHECK_FALSE(host.empty());
  CHECK(host.find('/') == std::string::npos);
  const Config config =
      load_config({{"GAPSCOPE_REPORT", "%q{JOB}.json"}, {"JOB", "x"}, {"RANK", "1"}}, nullptr);
  CHECK(config.report_path == "x.json");
}
