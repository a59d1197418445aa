#include "report/report_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "catch.h"
#include "report_fill.h"

namespace gapscope {
namespace {

using nlohmann::ordered_json;
using report::from_json;
using report::to_json;

bool says(const absl::StatusOr<report::Report>& result, const char* words) {
  INFO(result.status().message());
  CHECK_FALSE(result.ok());
  return absl::StrContains(result.status().message(), words);
}

TEST_CASE("a report with every field filled survives JSON unchanged") {
  const report::Report before = test::filled_report();
  const auto after = from_json(to_json(before));
  REQUIRE(after.ok());
  CHECK(*after == before);
  CHECK(to_json(*after) == to_json(before));
}

TEST_CASE("an empty report survives JSON unchanged") {
  const auto after = from_json(to_json(report::Report{}));
  REQUIRE(after.ok());
  CHECK(*after == report::Report{});
  CHECK_FALSE(after->steady.has_value());
}

TEST_CASE("extreme integers survive JSON") {
  report::Report before = test::filled_report();
  before.whole.devices[0].time.window_ns = std::numeric_limits<std::int64_t>::max();
  before.lead_in_ns = std::numeric_limits<std::int64_t>::min();
  before.whole.devices[0].kernels[0].shared_bytes = std::numeric_limits<std::uint64_t>::max();
  const auto after = from_json(to_json(before));
  REQUIRE(after.ok());
  CHECK(*after == before);
}

TEST_CASE("a number that is none is written as 0") {
  report::Report report = test::filled_report();
  report.advice[0].before_ms = std::numeric_limits<double>::quiet_NaN();
  report.advice[1].before_ms = std::numeric_limits<double>::infinity();
  const auto after = from_json(to_json(report));
  REQUIRE(after.ok());
  CHECK(after->advice[0].before_ms == 0.0);
  CHECK(after->advice[1].before_ms == 0.0);
}

TEST_CASE("the layout that others read") {
  const ordered_json json = ordered_json::parse(to_json(test::filled_report()));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"schema_version", "process",
                                         "devices",        "copies",
                                         "host_calls",     "waits",
                                         "overlap",        "ranges",
                                         "steady",         "steps",
                                         "lead_in_ns",     "warmup_ns",
                                         "tail_ns",        "complete_until_ns",
                                         "truncated",      "clock_step_ns",
                                         "advice",         "warnings",
                                         "records",        "self"});
  const ordered_json& device = json["devices"][0];
  for (const char* key : {"window_ns", "compute_ns", "comm_exposed_ns", "copy_only_ns", "idle_ns",
                          "unknown_ns", "spacing_ns", "launch_bound_ns", "copy_overlap_ns"}) {
    INFO(key);
    CHECK(device[key].is_number_integer());
  }
  for (const char* key : {"calls", "total_ns", "alone_ns", "min_ns", "max_ns", "median_ns",
                          "p90_ns", "p99_ns", "stddev_ns"}) {
    INFO(key);
    CHECK(device["kernels"][0][key].is_number());
  }
  for (const char* key :
       {"seen", "calls", "dropped_ring", "dropped_cupti", "invalid", "incomplete", "unmatched",
        "orphaned", "late", "captured", "failed", "outside", "overflow"}) {
    INFO(key);
    CHECK(json["records"][key].is_number_integer());
  }
  CHECK(json["copies"].size() == 4);  // two a device
  CHECK(json["copies"][3]["device"] == json["devices"][1]["device"]);
  CHECK(json["steady"]["devices"].size() == 2);
}

TEST_CASE("bytes that are not UTF-8 are replaced, never thrown on") {
  report::Report report;
  report.process.command = "python \xff\xc3(\xed\xa0\x80 train.py";
  report.warnings.push_back(std::string("a\0b\x1b[31m", 8));
  const std::string json = to_json(report);
  CHECK(absl::StrContains(json, "\xef\xbf\xbd"));
  const auto after = from_json(json);
  REQUIRE(after.ok());
  CHECK(after->warnings == report.warnings);
  CHECK(absl::StrContains(after->process.command, "train.py"));
}

TEST_CASE("lists of numbers take one line, lists of anything else one line an entry") {
  report::Report report = test::filled_report();
  report.steps.worst_step->tracks[0].at_ns = {1, 20, -300};
  report.warnings = {"[1, 2]", "a \\\" [\n3 ] {"};
  const std::string json = to_json(report);
  CHECK(absl::StrContains(json, "\"at_ns\": [1, 20, -300],\n"));
  CHECK(absl::StrContains(json, "\"warnings\": [\n    \"[1, 2]\",\n"));
  CHECK(from_json(json)->warnings == report.warnings);
  CHECK(*from_json(json) == report);
}

TEST_CASE("missing and additional fields are tolerated") {
  const auto little = from_json(
      R"({"schema_version": 1, "process": {}, "devices": [], "records": {"seen": 3}, "new": {}})");
  REQUIRE(little.ok());
  CHECK(little->records.seen == 3);
  ordered_json json = ordered_json::parse(to_json(test::filled_report()));
  json["devices"][0]["a_field_of_tomorrow"] = {1, 2, 3};
  json["steady"].erase("overlap");
  const auto after = from_json(json.dump());
  REQUIRE(after.ok());
  CHECK(after->whole == test::filled_report().whole);
  CHECK(after->steady->overlap == report::Overlap{});
}

TEST_CASE("wrong types are named with their place") {
  const std::string good = to_json(test::filled_report());
  const auto with = [&](const char* pointer, const ordered_json& value) {
    ordered_json json = ordered_json::parse(good);
    json[ordered_json::json_pointer(pointer)] = value;
    return from_json(json.dump());
  };
  CHECK(says(with("/devices/1/kernels/0/calls", "many"), "devices[1].kernels[0].calls"));
  CHECK(says(with("/devices/0/idle_ns", 1.5), "devices[0].idle_ns"));
  CHECK(says(with("/devices/0/idle_ns", 18446744073709551615u), "devices[0].idle_ns"));
  CHECK(says(with("/devices/0/device", -1), "devices[0].device"));
  CHECK(says(with("/devices/0/kernels/0/grid", {1, 2}), "devices[0].kernels[0].grid"));
  CHECK(says(with("/copies/0/device", 77), "copies[0].device"));
  CHECK(says(with("/copies", 3), "copies must be a list"));
  CHECK(says(with("/steady", 3), "steady must be an object"));
  CHECK(says(with("/warnings/0", nullptr), "warnings[0]"));
  CHECK(says(with("/truncated", 1), "truncated"));
  CHECK(says(with("/advice/0/before_ms", nullptr), "advice[0].before_ms"));
  CHECK(says(with("/devices", ordered_json::object()), "devices must be a list"));
}

TEST_CASE("what is not a report is told apart") {
  CHECK(says(from_json(""), "empty"));
  CHECK(says(from_json("hello"), "not JSON"));
  CHECK(says(from_json("{\"schema_version\": 1,"), "not JSON"));
  CHECK(says(from_json("[]"), "not a gapscope report"));
  CHECK(says(from_json("7"), "not a gapscope report"));
  CHECK(says(from_json("{\"traceEvents\": []}"), "not a gapscope report"));
  CHECK(says(from_json(R"({"schema_version": 2, "process": {}, "devices": [], "records": {}})"),
             "newer gapscope"));
  CHECK(says(from_json(R"({"schema_version": 0, "process": {}, "devices": [], "records": {}})"),
             "schema_version"));
}

TEST_CASE("hostile depth and width neither crash nor hang") {
  CHECK(says(from_json(std::string(5'000'000, '[')), "deep"));
  CHECK(says(from_json(std::string(31, '[')), "not JSON"));
  std::string wide = R"({"schema_version": 1, "process": {}, "devices": [], "records": {})";
  for (int i = 0; i < 100'000; ++i) wide += ",\"k" + std::to_string(i) + "\": 0";
  CHECK(from_json(wide + "}").ok());
  CHECK(says(from_json("{\"schema_version\": 1e999}"), "not JSON"));
  CHECK(says(from_json("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\""), "not a gapscope report"));
}

TEST_CASE("every prefix and every flipped byte of a report is an error or a report") {
  const std::string good = to_json(test::filled_report());
  for (std::size_t length = 0; length < good.size(); length += 37) {
    CHECK_FALSE(from_json(good.substr(0, std::min(length, good.size() - 2))).ok());
  }
  std::size_t errors = 0;
  for (std::size_t at = 0; at < good.size(); at += 53) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x15);
    errors += from_json(bad).ok() ? 0 : 1;
  }
  CHECK(errors > 0);
}

TEST_CASE("files: the path is in the error") {
  const std::string path = "report_json_test.json";
  {
    std::ofstream file(path);
    file << to_json(test::filled_report());
  }
  const auto report = report::read_report(path);
  REQUIRE(report.ok());
  CHECK(*report == test::filled_report());
  std::remove(path.c_str());
  CHECK(says(report::read_report(path), path.c_str()));
}

}  // namespace
}  // namespace gapscope
