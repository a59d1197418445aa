#include "cli/nvprof_help.h"

#include <array>

#include "fmt/format.h"

namespace gapscope::cli {
namespace {

struct Row {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array<Row, 16> kModes = {{
    {"nvprof CMD", "gapscope run CMD"},
    {"--print-gpu-trace", "gapscope run --trace t.json.gz CMD (tracks of each GPU)"},
    {"--print-api-trace", "the same file (tracks of the threads)"},
    {"--print-gpu-summary", "gapscope show --csv kernels, --csv copies"},
    {"--print-api-summary", "gapscope show --csv api"},
    {"-o, --export-profile FILE", "gapscope run --record FILE.gsrec CMD"},
    {"-i, --import-profile FILE", "gapscope replay FILE.gsrec"},
    {"--csv", "gapscope show --csv kernels|copies|api"},
    {"--log-file FILE", "gapscope run --output FILE CMD (%p: process id)"},
    {"--profile-from-start off", "gapscope run --capture range CMD"},
    {"--timeout N", "gapscope run --capture time:0s+Ns CMD"},
    {"--profile-child-processes", "always: each process that uses CUDA has its own page"},
    {"--dependency-analysis", "the causes of idle time, on every page"},
    {"--cpu-profiling on", "what launching threads did while a GPU was idle, unless --host=0"},
    {"--unified-memory-profiling", "not here: nsys profile --cuda-um-gpu-page-faults=true"},
    {"--metrics, --events", "not here: ncu looks inside a kernel, see below"},
}};

constexpr std::array<Row, 8> kMetrics = {{
    {"gpu__time_duration.sum", "kernels[].total_ns of the report; median_ns, p99_ns of a call"},
    {"launch__grid_size", "kernels[].grid"},
    {"launch__block_size", "kernels[].block"},
    {"launch__registers_per_thread", "kernels[].registers_per_thread"},
    {"launch__shared_mem_per_block", "kernels[].shared_bytes"},
    {"sm__throughput", "not here: ncu --section SpeedOfLight -k NAME CMD"},
    {"dram__throughput", "not here: ncu --section MemoryWorkloadAnalysis -k NAME CMD"},
    {"sm__warps_active", "not here: ncu --section Occupancy -k NAME CMD"},
}};

template <std::size_t kRows>
void append(std::string& out, const std::array<Row, kRows>& rows) {
  for (const Row& row : rows) out += fmt::format("  {:<29} {}\n", row.theirs, row.ours);
}

}  // namespace

std::string nvprof_help() {
  std::string out = "What nvprof did, and how it is asked for here:\n\n";
  append(out, kModes);
  out +=
      "\nMetrics of ncu that a report has too. gapscope tells when the GPU did not work and why;\n"
      "ncu tells why one kernel is slow. -k takes a name of the kernel table.\n\n";
  append(out, kMetrics);
  return out;
}

}  // namespace gapscope::cli
