#include "sink/csv.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "catch.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

using sink::CsvTable;
using sink::to_csv;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  REQUIRE(lines.back().empty());
  lines.pop_back();
  return lines;
}

TEST_CASE("the columns are those of nsys stats") {
  const report::Report report = test::sample_report();
  CHECK(lines_of(to_csv(report, CsvTable::kernels))[0] ==
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
  CHECK(lines_of(to_csv(report, CsvTable::copies))[0] ==
        "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
        "(ns),Operation");
  CHECK(lines_of(to_csv(report, CsvTable::api))[0] ==
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
}

TEST_CASE("a kernel's line holds its figures and its whole name, quoted") {
  const report::Report report = test::sample_report();
  const report::Kernel& kernel = report.whole.devices[0].kernels[0];
  const std::string line = lines_of(to_csv(report, CsvTable::kernels))[1];
  CHECK(absl::StrContains(line, ",7666320000,73564,104212.9,101607.0,52106,312636,"));
  CHECK(absl::EndsWith(line, ",\"" + kernel.full_name + "\""));
}

TEST_CASE("percentages add up to 100.0 and totals fall") {
  const report::Report report = test::sample_report();
  for (const CsvTable table : {CsvTable::kernels, CsvTable::copies, CsvTable::api}) {
    const auto lines = lines_of(to_csv(report, table));
    double sum = 0;
    double last = 1e18;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> cells = absl::StrSplit(lines[i], ',');
      sum += std::stod(cells[0]);
      CHECK(std::stod(cells[1]) <= last);
      last = std::stod(cells[1]);
    }
    CHECK(std::fabs(sum - 100.0) < 1e-6);
  }
}

TEST_CASE("copies have nsys's words") {
  const auto lines = lines_of(to_csv(test::sample_report(), CsvTable::copies));
  REQUIRE(lines.size() == 4);
  CHECK(absl::EndsWith(lines[1], "[CUDA memcpy Host-to-Device]"));
  CHECK(absl::EndsWith(lines[2], "[CUDA memset]"));
  CHECK(absl::EndsWith(lines[3], "[CUDA memcpy Device-to-Host]"));
}

TEST_CASE("entries of one name on several devices are one line") {
  report::Report report;
  report::Kernel kernel;
  kernel.full_name = "k";
  kernel.time = {2, 40, 10, 30, 10, 30, 30, 10.0};  // 10 and 30
  report::Device first;
  first.kernels = {kernel};
  kernel.time = {1, 80, 80, 80, 80, 80, 80, 0.0};
  report::Device second;
  second.kernels = {kernel};
  report.whole.devices = {first, second};
  const auto lines = lines_of(to_csv(report, CsvTable::kernels));
  REQUIRE(lines.size() == 2);
  // mean 40; deviations 30, 10, 40: variance 2600 / 3
  CHECK(lines[1] == "100.0,120,3,40.0,10.0,10,80,29.4,k");
}

TEST_CASE("names with quotes, commas, newlines and escapes stay one cell") {
  report::Report report;
  report::Kernel kernel;
  kernel.full_name = "a \"b\", c\n\x1b[2J";
  kernel.time = {1, 5, 5, 5, 5, 5, 5, 0};
  report::Device device;
  device.kernels = {kernel};
  report.whole.devices = {device};
  const auto lines = lines_of(to_csv(report, CsvTable::kernels));
  REQUIRE(lines.size() == 2);
  CHECK(absl::EndsWith(lines[1], ",\"a \"\"b\"\", c ?[2J\""));
}

TEST_CASE("an empty report has a header only; words for tables") {
  CHECK(lines_of(to_csv(report::Report{}, CsvTable::api)).size() == 1);
  CHECK(sink::csv_table("kernels") == CsvTable::kernels);
  CHECK(sink::csv_table("copies") == CsvTable::copies);
  CHECK(sink::csv_table("api") == CsvTable::api);
  CHECK_FALSE(sink::csv_table("gaps").has_value());
}

}  // namespace
}  // namespace gapscope
