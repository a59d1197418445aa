// Pages of reports that are empty, broken, hostile or huge; widths; terminals.
#include <unistd.h>

#include <limits>
#include <random>
#include <regex>

#include "catch.h"
#include "report/report_json.h"
#include "report_fill.h"
#include "sink_page_text.h"
#include "sink_sample.h"

namespace gapscope {
namespace {

using test::PageText;

std::vector<report::Report> all_samples() {
  return {report::Report{}, test::sample_report(), test::sample_report_with_causes(),
          test::sample_report_three_gpus(), test::filled_report()};
}

TEST_CASE("no line is wider than the page") {
  for (const report::Report& report : all_samples()) {
    for (const int width : {40, 60, 72, 80, 100, 120, 200}) {
      for (const bool utf8 : {true, false}) {
        for (const bool brief : {true, false}) {
          const PageText page(report, {width, false, utf8, brief, "/tmp/reports/run-4711.json"});
          INFO("width " << width);
          CHECK(page.widest() <= static_cast<std::size_t>(width));
        }
      }
    }
  }
}

TEST_CASE("absurd widths are bounded") {
  CHECK(PageText(test::sample_report(), {.width = -5}).widest() <= 40);
  CHECK(PageText(test::sample_report(), {.width = 1'000'000}).widest() <= 240);
}

TEST_CASE("no line ends in blanks and no two empty lines follow each other") {
  for (const report::Report& report : all_samples()) {
    const PageText page(report);
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
      if (!page.lines[i].empty()) CHECK(page.lines[i].back() != ' ');
      if (i > 0) CHECK_FALSE((page.lines[i].empty() && page.lines[i - 1].empty()));
    }
  }
}

TEST_CASE("ASCII pages hold ASCII only") {
  for (const report::Report& report : all_samples()) {
    const PageText page(report, {.utf8 = false});
    for (const char c : page.text) {
      const auto byte = static_cast<unsigned char>(c);
      REQUIRE((byte == '\n' || (byte >= 0x20 && byte < 0x7f)));
    }
  }
}

TEST_CASE("colour adds escape sequences and nothing else") {
  for (const report::Report& report : all_samples()) {
    const std::string plain = sink::to_text(report, {.colour = false});
    const std::string colour = sink::to_text(report, {.colour = true});
    CHECK(plain.find('\x1b') == std::string::npos);
    CHECK(colour.find("\x1b[") != std::string::npos);
    const std::string stripped = std::regex_replace(colour, std::regex("\x1b\\[[0-9;]*m"), "");
    // A coloured label keeps the blanks that are cut from a plain line's end.
    CHECK(std::regex_replace(stripped, std::regex(" +\n"), "\n") == plain);
  }
}

TEST_CASE("no CUDA work is one short line") {
  report::Report report;
  report.process.version = "0.1.0";
  report.process.command = "python -c pass";
  report.process.pid = 12;
  const PageText page(report);
  REQUIRE(page.lines.size() == 1);
  CHECK(page.lines[0] == "gapscope 0.1.0  python -c pass  pid 12  no CUDA work in this process");
}

TEST_CASE("launches without device records name the likely reasons, never idle 100 %") {
  report::Report report;
  report.process.version = "0.1.0";
  report.records.calls = 1000;
  report::HostCall launches;
  launches.name = "cudaLaunchKernel";
  launches.category = "launch";
  launches.time.count = 900;
  report.whole.host_calls = {launches};
  const PageText page(report, {.width = 240});
  CHECK(page.lines.size() == 3);
  CHECK(page.has("900 launches seen, but no device records"));
  CHECK(page.has("RmProfilingAdminOnly"));
  CHECK(page.has("WSL"));
  CHECK(page.has("another tool holds CUPTI"));
  // Records came and were of no use: that is the reason, not the driver's permissions.
  report.records.dropped_cupti = 890;
  report.records.invalid = 10;
  const PageText lost(report, {.width = 240});
  CHECK(lost.has("900 launches seen, but none of their device records: 890 were dropped"));
  CHECK(lost.has("10 had impossible times"));
  CHECK_FALSE(lost.has("RmProfilingAdminOnly"));
  report.records.dropped_cupti = report.records.invalid = 0;
  CHECK_FALSE(page.has("IDLE"));
  CHECK_FALSE(page.has("%"));
  report.truncated = true;  // a recording that was cut off: no word of permissions
  const PageText cut_off(report, {.width = 240});
  CHECK(cut_off.has("900 launches seen, but the record ends before the first device record"));
  CHECK_FALSE(cut_off.has("administrators"));
}

TEST_CASE("calls that launch nothing, captured launches and an empty capture are told apart") {
  report::Report report;
  report.records.calls = 10;
  report::HostCall launches;
  launches.category = "launch";
  launches.time.count = 7;
  launches.captured = 7;
  report.whole.host_calls = {launches};
  CHECK(PageText(report).has("10 CUDA calls, but no GPU operation"));
  report.records.outside = 44;
  report.process.capture = "range";
  CHECK(PageText(report).has("no GPU operation inside GAPSCOPE_CAPTURE=range; 44 outside it"));
}

TEST_CASE("a page whose records were lost starts with the warning") {
  report::Report report = test::sample_report();
  report.records.dropped_ring = 900;
  CHECK_FALSE(PageText(report).has("WARNING"));  // 0.07 %
  CHECK(absl::StrContains(PageText(report).line("TRUST"), "900 records lost"));
  report.records.dropped_cupti = 400;
  report.records.unmatched = 300;
  report.records.invalid = 200;
  report.records.overflow = 100;
  const PageText page(report);
  CHECK(
      absl::StartsWith(page.lines[0], "WARNING     1,900 of 1,274,117 records (0.15 %) were lost"));
  CHECK(page.has("totals are bounds"));
  CHECK(PageText(report, {.width = 120})
            .has("dropped 900 (rings), 400 (CUPTI); 200 invalid, 300 unmatched"));
}

TEST_CASE("a truncated record says so first") {
  report::Report report = test::sample_report();
  report.truncated = true;
  CHECK(absl::StartsWith(PageText(report).lines[0], "WARNING"));
  CHECK(PageText(report).has("ends early"));
}

TEST_CASE("brief pages hold the first lines and where the rest is") {
  const PageText page(test::sample_report_with_causes(),
                      {.brief = true, .report_path = "/a/b.json"});
  REQUIRE(page.lines.size() == 6);
  CHECK(absl::StartsWith(page.lines[4], "TRUST"));
  CHECK(page.lines[5] == "Full report /a/b.json");
  const PageText nowhere(test::sample_report(), {.brief = true});
  CHECK(nowhere.has("GAPSCOPE_REPORT="));
}

TEST_CASE("warnings of the run and the report's path are at the end") {
  report::Report report = test::sample_report();
  report.warnings = {"torch.profiler asked for CUPTI and got nothing", "clock stepped by 3 s"};
  const PageText page(report, {.report_path = "/a/b.json"});
  CHECK(page.line("Notes") == "Notes       torch.profiler asked for CUPTI and got nothing");
  CHECK(page.has("            clock stepped by 3 s"));
  CHECK(page.lines.back() == "Report      /a/b.json");
}

TEST_CASE("a single operation gives a page without a share of nothing") {
  report::Report report;
  report::Device device;
  device.name = "NVIDIA H200";
  device.operations = 1;
  device.time = {2'000, 2'000, 0, 0, 0, 0};
  report::Kernel kernel;
  kernel.name = "vector_add";
  kernel.alone_ns = 2'000;
  kernel.time = {1, 2'000, 2'000, 2'000, 2'000, 2'000, 2'000, 0};
  device.kernels = {kernel};
  report.whole.devices = {device};
  const PageText page(report);
  CHECK(page.has("compute 100.0 %"));
  CHECK(page.has("IDLE 0.0 %"));
  CHECK(page.has("vector_add"));
  device.time = {};
  report.whole.devices = {device};
  CHECK_FALSE(PageText(report).has("nan"));
  CHECK_FALSE(PageText(report).has("inf"));
}

void poison(std::string& text) { text = "\x1b[2J\x1b]52;c;x\x07\nname\xff\u202e\x9b\r" + text; }

TEST_CASE("names from the profiled program cannot drive the terminal") {
  report::Report report = test::sample_report_with_causes();
  poison(report.process.command);
  poison(report.process.rank);
  poison(report.process.exit_status);
  poison(report.process.cupti_path);
  poison(report.process.cupti_version);
  poison(report.process.driver_version);
  poison(report.steps.source);
  poison(report.steps.worst_cause);
  poison(report.advice[0].text);
  poison(report.advice[0].source);
  report.warnings.emplace_back();
  poison(report.warnings[0]);
  report::Device& device = report.steady->devices[0];
  poison(device.name);
  for (auto& kernel : device.kernels) poison(kernel.name);
  for (auto& family : device.families) poison(family.name);
  for (auto& cause : device.causes) poison(cause.cause);
  poison(device.causes[0].evidence[0].text);
  poison(device.findings[0].finding);
  poison(device.findings[0].text);
  for (auto& gap : device.gaps.longest) poison(gap.before), poison(gap.after), poison(gap.cause);
  for (auto& copy : device.copies) poison(copy.direction), poison(copy.source);
  for (auto& call : report.steady->host_calls) poison(call.name), poison(call.category);
  poison(report.steady->waits[0].name);
  poison(report.steady->overlap.basis);
  report.steady->ranges.push_back({"range", 1, 2, 3, 4, 5, 6, true});
  poison(report.steady->ranges[0].path);
  for (const int width : {60, 80, 120}) {
    const PageText page(report, {.width = width});
    CHECK(page.widest() <= static_cast<std::size_t>(width));
    for (const std::string& line : page.lines) {
      REQUIRE(sink::printable(line, true) == line);
    }
  }
}

class Extreme {
 public:
  explicit Extreme(std::int64_t value) : value_(value) {}
  template <class T>
  void operator()(const char*, T& out) {
    fill(out);
  }
  void device_copies(const char*, std::vector<report::Device>& devices) {
    for (report::Device& device : devices) fill(device.copies);
  }

 private:
  void fill(std::string& out) { out = std::string(300, 'x'); }
  void fill(bool& out) { out = true; }
  void fill(std::int64_t& out) { out = value_; }
  void fill(std::uint64_t& out) { out = static_cast<std::uint64_t>(value_); }
  void fill(std::uint32_t& out) { out = static_cast<std::uint32_t>(value_); }
  void fill(double& out) { out = static_cast<double>(value_) * 1e100; }
  void fill(std::uint32_t (&out)[3]) {
    for (auto& entry : out) fill(entry);
  }
  template <class T>
  void fill(std::optional<T>& out) {
    fill(out.emplace());
  }
  template <class T>
  void fill(std::vector<T>& out) {
    for (int i = 0; i < 3; ++i) fill(out.emplace_back());
  }
  template <class T>
  void fill(T& out) {
    report::fields(*this, out);
  }
  std::int64_t value_;
};

TEST_CASE("reports full of extreme integers print without overflow") {
  for (const std::int64_t value :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
        std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}}) {
    report::Report report;
    Extreme extreme(value);
    report::fields(extreme, report);
    for (const int width : {60, 80, 120}) {
      const PageText page(report, {.width = width});
      INFO(value);
      CHECK(page.widest() <= static_cast<std::size_t>(width));
      CHECK_FALSE(page.has("nan"));
      CHECK_FALSE(page.has("inf"));
    }
  }
}

// Digits, brackets and pieces of the file itself, moved about.
std::string mutated(std::string json, std::mt19937& random) {
  for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
    const std::size_t at = random() % json.size();
    const std::size_t length = 1 + random() % 12;
    switch (random() % 4) {
      case 0:
        json[at] = "0123456789-.eE[]{},:\"\\x\xff"[random() % 24];
        break;
      case 1:
        json.erase(at, length);
        break;
      case 2:
        json.insert(at, json.substr(random() % json.size(), length));
        break;
      default:
        json.insert(at, "99999999");
        break;
    }
  }
  return json;
}

TEST_CASE("a damaged report is refused, or prints") {
  std::mt19937 random(23);
  const std::string good = report::to_json(test::sample_report_with_causes());
  int printed = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto report = report::from_json(mutated(good, random));
    if (!report.ok()) continue;
    ++printed;
    const PageText page(*report, {.width = 72});
    REQUIRE(page.widest() <= 72);
  }
  CHECK(printed > 50);
}

TEST_CASE("options for a descriptor that is no terminal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const sink::TextOptions plain = sink::text_options_for(ends[1], std::nullopt, false, true);
  CHECK(plain.width == 80);
  CHECK_FALSE(plain.colour);
  CHECK(plain.utf8);
  CHECK(sink::text_options_for(ends[1], true, true, false).colour);  // asked for: NO_COLOR yields
  CHECK_FALSE(sink::text_options_for(ends[1], false, false, false).colour);
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(sink::text_options_for(ends[1], std::nullopt, false, false).width == 80);
}

}  // namespace
}  // namespace gapscope
