#include "report/environment_lines.h"

#include "catch.h"
#include "report_fill.h"

namespace gapscope::report {
namespace {

Environment back(const Environment& environment) {
  Environment read;
  for (const std::string& line : environment_lines(environment)) add_environment_line(line, read);
  return read;
}

TEST_CASE("an environment comes back from its lines, what other records tell of GPUs aside") {
  Environment environment = test::filled_report().process.environment;
  REQUIRE(environment.packages.size() == 2);
  REQUIRE_FALSE(environment.git_branch.empty());
  // Of a GPU what NVML says, and which one it is.
  for (Gpu& gpu : environment.gpus) {
    REQUIRE(gpu.nvml);
    gpu.nvml->utilisation_pct = 93.75;
    gpu.nvml->own_busy_pct = 41;
    Gpu known;
    known.uuid = gpu.uuid;
    known.nvml = gpu.nvml;
    gpu = known;
  }
  CHECK(back(environment) == environment);
  CHECK(back(Environment()) == Environment());
  environment.gpus[0].nvml.reset();
  CHECK(back(environment).gpus == std::vector<Gpu>{environment.gpus[1]});
}

TEST_CASE("separators in values do not move fields") {
  Environment environment;
  environment.cpu = "a=b\nos=c";
  environment.libraries = {{"cu\tDNN", "9", "", "/a\nb"}};
  const Environment read = back(environment);
  CHECK(read.cpu == "a=b os=c");
  CHECK(read.os.empty());
  CHECK(read.libraries == std::vector<Library>{{"cu DNN", "9", "", "/a b"}});
}

TEST_CASE("odd lines are harmless and lists are bounded") {
  Environment environment;
  for (const char* line :
       {"", "=", "novalue", "newer_key=1", "libraries", "libraries=only a name"}) {
    add_environment_line(line, environment);
  }
  CHECK(environment.libraries == std::vector<Library>{{"only a name", "", "", ""}});
  for (int i = 0; i < 10'000; ++i) add_environment_line("packages=a\t1", environment);
  CHECK(environment.packages.size() == 4000);
  add_environment_line("nvml=GPU-1\t-7\tmany\t1\t\t1e400\t5\t6\t7\tnan\t99999999999999999999",
                       environment);
  REQUIRE(environment.gpus.size() == 1);
  const Nvml& nvml = *environment.gpus[0].nvml;
  CHECK(nvml.sm_clock_mhz == 0);
  CHECK(nvml.max_sm_clock_mhz == 0);
  CHECK(nvml.memory_clock_mhz == 1);
  CHECK(nvml.processes == 7);
  CHECK(nvml.utilisation_pct == 0);
  CHECK(nvml.utilisation_since_ns == 0);
  for (int i = 0; i < 10'000; ++i) add_environment_line("nvml=x", environment);
  CHECK(environment.gpus.size() == 64);
}

}  // namespace
}  // namespace gapscope::report
