// Uses gapscope.hpp. Where there is no GPU every call says so and the program goes on.
#include <cstdlib>
#include <gapscope/gapscope.hpp>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  int failures = 0;
  const auto check = [&failures](bool holds, const char* what) {
    if (holds) return;
    std::cerr << "consumer_cpp: " << what << '\n';
    ++failures;
  };
  check(gapscope::version() == std::string(GAPSCOPE_VERSION_STRING), "header and library differ");
  {
    gapscope::Options options;
    options.quiet = true;
    gapscope::Session session(options);
    std::cout << "Session: " << gapscope::to_string(session.status()) << '\n';
    if (argc > 1) {
      check(static_cast<int>(session.status()) == std::atoi(argv[1]), "another status");
    }
    const gapscope::Range range("range");
    check((gapscope::step() == gapscope::Status::ok) == session.running(), "step disagrees");
    check((gapscope::state() == gapscope::Status::ok) == session.running(), "state disagrees");
  }
  check(gapscope::state() != gapscope::Status::ok, "records after its session");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
