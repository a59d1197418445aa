#include <unistd.h>

#include "catch.h"
#include "runtime/clock.h"
#include "runtime/files.h"

using namespace gapscope;

TEST_CASE("the process can tell its own name and command line") {
  CHECK_FALSE(command_line().empty());
  CHECK_FALSE(host_name().empty());
  CHECK_FALSE(thread_name(static_cast<std::uint32_t>(gettid())).empty());
  CHECK(thread_name(0xfffffff0u).empty());
}

TEST_CASE("the process knows when it began") {
  const std::uint64_t now = now_ns();
  // Known to a hundredth of a second.
  CHECK(process_start_ns() <= now + 20'000'000);
  CHECK(process_start_ns() + 3'600'000'000'000 > now);
}
