// Configuration: one table of GAPSCOPE_* environment variables. The only place that reads the
// environment.
//
// Everything here but environ_entries() is a function of its arguments (expand_path also asks for
// the process id and the host's name), so it may be called from any thread; nothing is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis.h"

namespace gapscope {

enum class GraphMode : std::uint8_t { node, graph };
enum class ColourMode : std::uint8_t { auto_, always, never };
enum class PageRanks : std::uint8_t { first, all };

struct Config {
  bool enabled = true;      // GAPSCOPE_ENABLED
  std::string report_path;  // GAPSCOPE_REPORT, "" none; %p %h %r %q{ENV} expanded
  std::string record_path;  // GAPSCOPE_RECORD, likewise
  std::uint64_t record_limit_bytes = 1ull << 30;  // GAPSCOPE_RECORD_LIMIT, "1GiB"
  std::string trace_path;                         // GAPSCOPE_TRACE, likewise
  std::uint64_t trace_limit_bytes = 256u << 20;   // GAPSCOPE_TRACE_LIMIT, "256MiB"
  std::string html_path;                          // GAPSCOPE_HTML, likewise
  CaptureSpec capture;  // GAPSCOPE_CAPTURE: all | range | steps:A-B | time:Xs+Ys
  std::string capture_text = "all";
  std::string step_range = "ProfilerStep#";  // see AnalysisOptions
  GraphMode graphs = GraphMode::node;        // GAPSCOPE_GRAPHS
  bool quiet = false;                        // GAPSCOPE_QUIET: no page
  std::string output_path;                   // GAPSCOPE_OUTPUT: page to this file instead of stderr
  ColourMode colour = ColourMode::auto_;     // GAPSCOPE_COLOR; NO_COLOR obeyed under auto
  std::string cupti_path;                    // GAPSCOPE_CUPTI_PATH: file or folder of libcupti
  std::uint64_t ring_bytes = 512u << 10;     // GAPSCOPE_RING_SIZE, per launching thread; always a
                                             // power of two (rounded up)
  std::uint64_t buffer_bytes = 4u << 20;     // GAPSCOPE_BUFFER_SIZE, one CUPTI activity buffer
  std::uint64_t buffer_limit_bytes = 64u << 20;  // GAPSCOPE_BUFFER_LIMIT, all of them; at least two
  std::uint64_t flush_ms = 300;                  // GAPSCOPE_FLUSH_MS
  std::uint64_t exit_wait_ms = 1000;             // GAPSCOPE_EXIT_WAIT_MS
  bool host = true;                              // GAPSCOPE_HOST: host evidence (lib/host/)
  std::string calibration_path;  // GAPSCOPE_CALIBRATION; "" none: no home folder is known
  bool anonymous = false;        // GAPSCOPE_ANONYMOUS: names of this machine left out
  bool verbose = false;          // GAPSCOPE_VERBOSE: notes on start-up, on stderr
  bool snapshot = true;          // GAPSCOPE_SNAPSHOT: 0 none, 1 in snapshot_folder, or its folder
  std::string snapshot_folder;   // "" none; load_config() puts /dev/shm/gapscope.UID here
  std::uint64_t snapshot_ms = 60'000;       // GAPSCOPE_SNAPSHOT_MS
  bool sigterm = false;                     // GAPSCOPE_SIGTERM: SIGTERM ends the session first
  bool yield = false;                       // GAPSCOPE_YIELD: CUPTI is left to another tool
  PageRanks page_ranks = PageRanks::first;  // GAPSCOPE_RANKS: which ranks print the page
  std::string run_id;  // GAPSCOPE_RUN_ID, set by `gapscope run`: part of the snapshot's name
  // Read, not ours: what the environment says of the process.
  std::string rank;          // "0/8" from RANK/WORLD_SIZE, OMPI_*, SLURM_*, PMI_*; "0"
                             // when only the rank is known; "" if none
  bool no_color = false;     // NO_COLOR is set and not empty
  bool utf8_locale = false;  // LC_ALL, LC_CTYPE, LANG
  std::string cuda_home;     // CUDA_HOME or CUDA_PATH
  // Those of the fixed list in config_process.cc that are set: no other variable's value is kept.
  std::vector<std::pair<std::string, std::string>> recorded_variables;
};

struct ConfigOption {
  std::string_view name;           // "GAPSCOPE_REPORT"
  std::string_view type;           // "path", "size", "0|1", "milliseconds", ...
  std::string_view default_value;  // as it would be written
  std::string_view help;           // one sentence
  bool internal = false;           // set by our own programs; valid, but not in the help text
};
// In the order in which they are shown; static storage.
absl::Span<const ConfigOption> config_options();

// All NAME=VALUE entries of an environment; environ_entries() gives this process's. Call it while
// no other thread changes the environment.
using Environment = std::vector<std::pair<std::string, std::string>>;
Environment environ_entries();

// The first entry of that name, as getenv would find it; "" when there is none.
std::string_view environment_value(const Environment& environment, std::string_view name);

// Unknown GAPSCOPE_ names and bad values give one line each in complaints (a valid name that is
// near, or the range), without a prefix or a newline, and leave the default. An empty value is no
// value. complaints may be null.
Config load_config(const Environment& environment, std::vector<std::string>* complaints);

// Where snapshots lie when GAPSCOPE_SNAPSHOT names no folder: in memory, gone with the next boot.
std::string default_snapshot_folder();

// %p pid, %h host name, %r rank ("0" when there is none), %q{NAME} environment variable, %%
// percent. Any other % stays as it is. A variable's value adds no folder unless the path begins
// with it: elsewhere its slashes, and names like "..", become "_".
std::string expand_path(const std::string& pattern, const Environment& environment);

// GAPSCOPE_CAPTURE's value; nullopt when it is none. Also what MetaKey::capture holds.
std::optional<CaptureSpec> parse_capture(std::string_view text);

// What parse_capture() accepts, for messages.
std::string_view capture_syntax();

// The text of `gapscope help env`.
std::string config_help();

}  // namespace gapscope
