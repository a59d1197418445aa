// The subcommands of `gapscope`: each adds itself to the parser and, when chosen, its action.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "runtime/config.h"

namespace gapscope::cli {

// What the process ends with; printed by --help, relied on by scripts.
enum ExitCode : int {
  kOk = 0,
  kUsage = 1,       // the command line cannot be understood
  kWouldFail = 1,   // doctor: something would keep gapscope from working
  kBadInput = 2,    // a file cannot be read, is not ours, is newer, damaged or cut off
  kGateFailed = 3,  // a --fail-if holds
  kBadOutput = 4,   // a result cannot be written
};

// What every --help ends with.
inline constexpr const char* kFooter =
    "Exit codes: 0 fine; 1 the command line is wrong; 2 an input file cannot be read, is\n"
    "not gapscope's, is newer, damaged or cut off; 3 a --fail-if holds; 4 a result cannot\n"
    "be written. gapscope run ends with the exit code of the program that it ran.";

// `gapscope help` knows these beside the commands.
inline constexpr const char* kHelpTopics[] = {"env", "gates", "nvprof"};

// Set by the parser's callback of the chosen subcommand; returns the exit code.
using Action = std::function<int()>;

// Each takes the parser to add to, the process's environment (outlives the action) and where to put
// the action. One function a file, <name>_command.cc.
void add_replay(CLI::App& app, const Environment& environment, Action& action);
void add_diff(CLI::App& app, const Environment& environment, Action& action);
void add_merge(CLI::App& app, const Environment& environment, Action& action);
void add_show(CLI::App& app, const Environment& environment, Action& action);
// from_dashes: "--" and the words after it, which the parser does not see.
void add_run(CLI::App& app, const Environment& environment,
             const std::vector<std::string>& from_dashes, Action& action);
void add_ps(CLI::App& app, const Environment& environment, Action& action);
void add_env(CLI::App& app, const Environment& environment, Action& action);
void add_calibrate(CLI::App& app, const Environment& environment, Action& action);
void add_completion(CLI::App& app, const Environment& environment, Action& action);
void add_doctor(CLI::App& app, const Environment& environment, Action& action);
void add_help(CLI::App& app, const Environment& environment, Action& action);

}  // namespace gapscope::cli
