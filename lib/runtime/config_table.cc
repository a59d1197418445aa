#include "runtime/config_table.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "runtime/config_parse.h"

namespace gapscope::config {
namespace {

constexpr std::uint64_t kKiB = 1ull << 10;
constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kGiB = 1ull << 30;

template <bool Config::*kField>
bool set_bool(std::string_view value, const Environment&, Config& config) {
  const auto parsed = parse_bool(value);
  if (parsed) config.*kField = *parsed;
  return parsed.has_value();
}

template <std::string Config::*kField>
bool set_path(std::string_view value, const Environment& environment, Config& config) {
  config.*kField = expand_path(std::string(value), environment);
  return true;
}

template <std::uint64_t Config::*kField, std::uint64_t kFrom, std::uint64_t kTo>
bool set_size(std::string_view value, const Environment&, Config& config) {
  const auto parsed = parse_size(value);
  if (!parsed || *parsed < kFrom || *parsed > kTo) return false;
  config.*kField = *parsed;
  return true;
}

template <std::uint64_t Config::*kField, std::uint64_t kFrom, std::uint64_t kTo>
bool set_number(std::string_view value, const Environment&, Config& config) {
  const auto parsed = parse_number(value);
  if (!parsed || *parsed < kFrom || *parsed > kTo) return false;
  config.*kField = *parsed;
  return true;
}

bool set_capture(std::string_view value, const Environment&, Config& config) {
  const auto parsed = parse_capture(value);
  if (!parsed) return false;
  config.capture = *parsed;
  config.capture_text = std::string(value);
  return true;
}

bool set_step_range(std::string_view value, const Environment&, Config& config) {
  config.step_range = std::string(value);
  return true;
}

bool set_graphs(std::string_view value, const Environment&, Config& config) {
  const std::string word = absl::AsciiStrToLower(value);
  if (word != "node" && word != "graph") return false;
  config.graphs = word == "node" ? GraphMode::node : GraphMode::graph;
  return true;
}

bool set_colour(std::string_view value, const Environment&, Config& config) {
  const std::string word = absl::AsciiStrToLower(value);
  if (word == "auto") {
    config.colour = ColourMode::auto_;
  } else if (word == "always") {
    config.colour = ColourMode::always;
  } else if (word == "never") {
    config.colour = ColourMode::never;
  } else {
    return false;
  }
  return true;
}

// 0 or 1, or where the snapshots are to lie.
bool set_snapshot(std::string_view value, const Environment& environment, Config& config) {
  if (const auto parsed = parse_bool(value)) {
    config.snapshot = *parsed;
    return true;
  }
  if (value.find('/') == std::string_view::npos) return false;
  return set_path<&Config::snapshot_folder>(value, environment, config);
}

bool set_ranks(std::string_view value, const Environment&, Config& config) {
  const std::string word = absl::AsciiStrToLower(value);
  if (word != "0" && word != "all") return false;
  config.page_ranks = word == "all" ? PageRanks::all : PageRanks::first;
  return true;
}

// It becomes part of a file's name.
bool set_run_id(std::string_view value, const Environment&, Config& config) {
  constexpr std::size_t kMaxBytes = 64;
  const auto allowed = [](char c) { return absl::ascii_isalnum(c) || c == '-'; };
  if (value.size() > kMaxBytes || !std::all_of(value.begin(), value.end(), allowed)) return false;
  config.run_id = std::string(value);
  return true;
}

// Defaults are written here once more for people to read; a test holds them to Config's own.
constexpr Row kRows[] = {
    {{"GAPSCOPE_ENABLED", "0|1", "1", "0 leaves the process alone."},
     "0 or 1",
     set_bool<&Config::enabled>},
    {{"GAPSCOPE_REPORT", "path", "",
      "Writes the whole report as JSON to this file at the end, and what is known so far as often "
      "as the snapshot. Where several processes would write one file, the later ones put their "
      "process id in its name. In paths %p stands for the process "
      "id, %h for the host name, %r for the rank, %q{NAME} for an environment variable, %% for a "
      "percent sign."},
     "",
     set_path<&Config::report_path>},
    {{"GAPSCOPE_HTML", "path", "",
      "Writes the report as one HTML page with charts to this file at the end; it needs no "
      "network."},
     "",
     set_path<&Config::html_path>},
    {{"GAPSCOPE_OUTPUT", "path", "", "Writes the page to this file instead of stderr."},
     "",
     set_path<&Config::output_path>},
    {{"GAPSCOPE_QUIET", "0|1", "0", "1 prints no page."}, "0 or 1", set_bool<&Config::quiet>},
    {{"GAPSCOPE_COLOR", "auto|always|never", "auto",
      "Colour on the page; auto means on a terminal and without NO_COLOR."},
     "auto, always or never",
     set_colour},
    {{"GAPSCOPE_CAPTURE", "all|range|steps:A-B|time:X+Y", "all",
      "What is counted: everything; what is launched between cudaProfilerStart and "
      "cudaProfilerStop; the steps A to B (from 0, both included); or a time of length Y that "
      "begins X after the first device operation (time:60s+30s)."},
     "all, range, steps:20-300 or time:60s+30s",
     set_capture},
    {{"GAPSCOPE_STEP_RANGE", "name", "ProfilerStep#",
      "NVTX ranges of this name are steps, where gapscope_step() marks none; a # at its end is "
      "followed by a number in them (ProfilerStep#12). Where there are neither, iterations are "
      "looked for in the kernels' order."},
     "",
     set_step_range},
    {{"GAPSCOPE_GRAPHS", "node|graph", "node",
      "How CUDA graphs are seen: every node, or each launch as one block, which costs less."},
     "node or graph",
     set_graphs},
    {{"GAPSCOPE_RECORD", "path", "", "Writes a recording for `gapscope replay` to this file."},
     "",
     set_path<&Config::record_path>},
    {{"GAPSCOPE_RECORD_LIMIT", "size", "1GiB",
      "Stops the recording (not the report) at this size on disk."},
     "a size from 64KiB to 1TiB, for example 1GiB",
     set_size<&Config::record_limit_bytes, 64 * kKiB, 1024 * kGiB>},
    {{"GAPSCOPE_TRACE", "path", "",
      "Writes a trace for the Perfetto UI, HolisticTraceAnalysis or TensorBoard to this file; "
      "compressed when its name ends in .gz."},
     "",
     set_path<&Config::trace_path>},
    {{"GAPSCOPE_TRACE_LIMIT", "size", "256MiB",
      "Stops the trace (not the report) at this size on disk; the trace says where."},
     "a size from 1MiB to 1TiB, for example 256MiB",
     set_size<&Config::trace_limit_bytes, kMiB, 1024 * kGiB>},
    {{"GAPSCOPE_CUPTI_PATH", "path", "", "The libcupti to use: its file, or the folder it is in."},
     "",
     set_path<&Config::cupti_path>},
    {{"GAPSCOPE_RING_SIZE", "size", "512KiB",
      "Buffer for the calls of each launching thread, rounded up to a power of two; a full one "
      "drops records and counts them."},
     "a size from 16KiB to 1GiB, for example 512KiB",
     set_size<&Config::ring_bytes, 16 * kKiB, kGiB>},
    {{"GAPSCOPE_BUFFER_SIZE", "size", "4MiB", "Size of one CUPTI activity buffer."},
     "a size from 64KiB to 256MiB, for example 4MiB",
     set_size<&Config::buffer_bytes, 64 * kKiB, 256 * kMiB>},
    {{"GAPSCOPE_BUFFER_LIMIT", "size", "64MiB",
      "Most memory for all CUPTI activity buffers together; at least two of them."},
     "a size from 128KiB to 64GiB, for example 64MiB",
     set_size<&Config::buffer_limit_bytes, 128 * kKiB, 64 * kGiB>},
    {{"GAPSCOPE_FLUSH_MS", "milliseconds", "300",
      "How often CUPTI is asked for finished records while records flow."},
     "milliseconds from 10 to 60000",
     set_number<&Config::flush_ms, 10, 60000>},
    {{"GAPSCOPE_EXIT_WAIT_MS", "milliseconds", "1000",
      "Longest wait at exit for records of operations that are still under way."},
     "milliseconds from 0 to 600000",
     set_number<&Config::exit_wait_ms, 0, 600000>},
    {{"GAPSCOPE_HOST", "0|1", "1",
      "0 does not look at what the CPU threads were doing: no Python frames, no garbage "
      "collections; long idle gaps then stay without a cause."},
     "0 or 1",
     set_bool<&Config::host>},
    {{"GAPSCOPE_CALIBRATION", "path", "~/.cache/gapscope/calibration.json",
      "What CUPTI's tracing costs on this machine, as `gapscope calibrate` has measured it; where "
      "it "
      "is there, the page says what CUPTI cost the run."},
     "a path",
     set_path<&Config::calibration_path>},
    {{"GAPSCOPE_ANONYMOUS", "0|1", "0",
      "1 leaves the host's name, arguments and folders out of reports and recordings, to hand them "
      "on."},
     "0 or 1",
     set_bool<&Config::anonymous>},
    {{"GAPSCOPE_SNAPSHOT", "0|1|folder", "1",
      "The report so far, for `gapscope show --pid` and for what is left when the process is "
      "killed: 1 keeps it in /dev/shm/gapscope.UID, a path in that folder, 0 nowhere. The first "
      "one comes 2 s after the first CUDA call, the last one is the whole report."},
     "0, 1 or a folder's path",
     set_snapshot},
    {{"GAPSCOPE_SNAPSHOT_MS", "milliseconds", "60000",
      "How often the snapshot is rewritten while there is anything new."},
     "milliseconds from 100 to 86400000",
     set_number<&Config::snapshot_ms, 100, 86400000>},
    {{"GAPSCOPE_SIGTERM", "0|1", "0",
      "1 installs a handler for SIGTERM that ends the session, prints the page and then lets the "
      "signal end the process; a handler that the program had installed before is called instead, "
      "and only the snapshot is rewritten. Without it no signal handler is installed."},
     "0 or 1",
     set_bool<&Config::sigterm>},
    {{"GAPSCOPE_RANKS", "0|all", "0",
      "Which ranks of a job print the page: the first one, the others one line each with their "
      "file; or all."},
     "0 or all",
     set_ranks},
    {{"GAPSCOPE_YIELD", "0|1", "0",
      "1 leaves CUPTI to another tool in the process (nsys, ncu, torch.profiler), says so in one "
      "line and records nothing."},
     "0 or 1",
     set_bool<&Config::yield>},
    {{"GAPSCOPE_RUN_ID", "word", "", "Set by `gapscope run`, to find what its processes left.",
      /*internal=*/true},
     "up to 64 letters, digits and dashes",
     set_run_id},
    {{"GAPSCOPE_VERBOSE", "0|1", "0", "1 says on stderr what is found and done at the start."},
     "0 or 1",
     set_bool<&Config::verbose>},
};

constexpr auto kOptions = [] {
  std::array<ConfigOption, std::size(kRows)> options{};
  for (std::size_t i = 0; i < options.size(); ++i) options[i] = kRows[i].option;
  return options;
}();

}  // namespace

absl::Span<const Row> table() { return kRows; }

}  // namespace gapscope::config

namespace gapscope {

absl::Span<const ConfigOption> config_options() { return config::kOptions; }

}  // namespace gapscope
