#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "catch.h"
#include "runtime/files.h"

using namespace gapscope;

namespace {

struct TempFolder {
  TempFolder() {
    char name[] = "/tmp/gapscope-files-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempFolder() { std::system(("rm -rf " + path).c_str()); }
  std::string path;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("write_file replaces a file whole") {
  TempFolder folder;
  const std::string path = folder.path + "/report.json";
  REQUIRE(write_file(path, "one").ok());
  REQUIRE(write_file(path, "two").ok());
  CHECK(slurp(path) == "two");
}

TEST_CASE("write_file never writes through a symbolic link") {
  TempFolder folder;
  const std::string victim = folder.path + "/victim";
  const std::string path = folder.path + "/report.json";
  REQUIRE(write_file(victim, "precious").ok());
  REQUIRE(symlink(victim.c_str(), path.c_str()) == 0);
  const std::string partial = path + "." + std::to_string(getpid()) + ".partial";
  REQUIRE(symlink(victim.c_str(), partial.c_str()) == 0);
  REQUIRE(write_file(path, "report").ok());
  CHECK(slurp(victim) == "precious");
  CHECK(slurp(path) == "report");
}

TEST_CASE("write_file names the path and the reason when it cannot") {
  const auto status = write_file("/nonexistent-folder/report.json", "x");
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.message()).find("/nonexistent-folder/report.json") != std::string::npos);
  CHECK(std::string(status.message()).find("No such file") != std::string::npos);
}

TEST_CASE("the process can tell its own name and command line") {
  CHECK_FALSE(command_line().empty());
  CHECK_FALSE(host_name().empty());
  CHECK_FALSE(thread_name(static_cast<std::uint32_t>(gettid())).empty());
  CHECK(thread_name(0xfffffff0u).empty());
}
