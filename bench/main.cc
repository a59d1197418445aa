// gapscope_bench [--smoke] [Google Benchmark's options]
// --smoke: every row once, over a short stream; shows that they run, not how fast.
#include <cstring>
#include <vector>

#include "benchmark/benchmark.h"
#include "rows.h"

int main(int argc, char** argv) {
  std::vector<char*> args;
  bool smoke = false;
  static char once[] = "--benchmark_min_time=0";
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--smoke") == 0) {
      smoke = true;
      args.push_back(once);
    } else {
      args.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(args.size());
  args.push_back(nullptr);
  benchmark::Initialize(&count, args.data());
  if (benchmark::ReportUnrecognizedArguments(count, args.data())) return 2;
  gapscope::bench::add_all_rows(smoke);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
