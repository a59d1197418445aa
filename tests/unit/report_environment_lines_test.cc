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

TEST_CASE("an environment comes back from its lines, the GPUs aside") {
  Environment environment = test::filled_report().process.environment;
  REQUIRE(environment.packages.size() == 2);
  REQUIRE_FALSE(environment.git_branch.empty());
  const std::vector<Gpu> gpus = std::move(environment.gpus);
  environment.gpus.clear();
  CHECK(back(environment) == environment);
  CHECK(back(Environment()) == Environment());
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
}

}  // namespace
}  // namespace gapscope::report
