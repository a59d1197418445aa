// Prints one line for each invariant that a JSON report breaks; exit status 1 if there is one.
//
//   report_check FILE
#include <cstdio>

#include "../unit/report_invariants.h"
#include "report/report_json.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto report = gapscope::report::read_report(argv[1]);
  if (!report.ok()) {
    std::printf("%s\n", report.status().ToString().c_str());
    return 1;
  }
  const auto broken = gapscope::test::report_violations(*report);
  for (const auto& line : broken) std::printf("%s\n", line.c_str());
  return broken.empty() ? 0 : 1;
}
