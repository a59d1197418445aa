#include <unistd.h>

#include <csignal>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/library_path.h"
#include "cli/output.h"
#include "cli/snapshots.h"
#include "runtime/clock.h"
#include "runtime/page.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string library;
  bool preload = false;
  // One for each variable of the table, in its order; CLI11 keeps pointers to them.
  std::deque<std::string> values;
};

// GAPSCOPE_RECORD_LIMIT -> --record-limit
std::string flag_of(std::string_view variable) {
  constexpr std::string_view kPrefix = "GAPSCOPE_";
  const std::string word = absl::AsciiStrToLower(variable.substr(kPrefix.size()));
  return absl::StrCat("--", absl::StrReplaceAll(word, {{"_", "-"}}));
}

void set(Environment& environment, std::string_view name, const std::string& value) {
  for (auto& [key, old] : environment) {
    if (key == name) {
      old = value;
      return;
    }
  }
  environment.emplace_back(name, value);
}

absl::StatusOr<std::string> library_of(const Options& options) {
  if (options.library.empty()) return find_library();
  std::error_code error;
  const auto path = std::filesystem::absolute(options.library, error);
  if (error || !std::filesystem::is_regular_file(path, error)) {
    return absl::NotFoundError(absl::StrCat("cannot find ", options.library));
  }
  return path.string();
}

// The flags that were given; an unknown value is a usage error here, not a complaint later.
absl::StatusOr<Environment> given(const Options& options) {
  Environment environment;
  const auto table = config_options();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!options.values[i].empty()) environment.emplace_back(table[i].name, options.values[i]);
  }
  std::vector<std::string> complaints;
  load_config(environment, &complaints);
  if (complaints.empty()) return environment;
  return absl::InvalidArgumentError(complaints.front());
}

void inject(Environment& environment, const std::string& library) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const std::string_view old = environment_value(environment, name);
    if (!old.empty() && old != library) {
      print_error(absl::StrCat(name, " was ", old, "; this run uses ", library, " instead"));
    }
    set(environment, name, library);
  }
}

// libgapscope_preload.so lies beside the library; what is preloaded already stays so.
absl::Status preload(Environment& environment, const std::string& library) {
  const std::filesystem::path path =
      std::filesystem::path(library).parent_path() / "libgapscope_preload.so";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::NotFoundError(absl::StrCat("cannot find ", path.string()));
  }
  const std::string_view old = environment_value(environment, "LD_PRELOAD");
  set(environment, "LD_PRELOAD", absl::StrCat(path.string(), old.empty() ? "" : ":", old));
  return absl::OkStatus();
}

std::string signal_name(int signal) {
  constexpr std::pair<int, const char*> kNames[] = {
      {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},
      {SIGABRT, "SIGABRT"}, {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGQUIT, "SIGQUIT"},
      {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},   {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) return name;
  }
  return absl::StrCat("signal ", signal);
}

// How the process ended, as far as it can be told from here.
std::string ending_of(const Snapshot& snapshot, const ChildResult& result) {
  if (snapshot.file.pid != result.pid) return "died without a word";
  if (result.signal == 0) {
    return absl::StrCat("ended with exit code ", result.code, " and without exit handlers");
  }
  return absl::StrCat("was killed by ", signal_name(result.signal));
}

// The pages that processes of this run could not print themselves: the first one's whole, a line
// for each of the others.
void print_what_was_left(const Environment& environment, const std::string& run_id,
                         const ChildResult& result) {
  const Config config = load_config(environment, nullptr);
  if (config.quiet) return;
  bool first = true;
  for (const Snapshot& snapshot : died_in_run(config, run_id)) {
    print_error(absl::StrCat("process ", snapshot.file.pid, " ", ending_of(snapshot, result),
                             "; its last snapshot, ", age_text(snapshot.file), " old, ",
                             first ? "follows" : absl::StrCat("is ", snapshot.file.path)));
    if (first) print_page(snapshot.report, config, false, snapshot.file.path);
    first = false;
  }
}

int run(const Options& options, const std::vector<std::string>& command, Environment environment) {
  if (command.empty() || command[0].empty()) {
    print_error("run: no command (gapscope run [options] -- COMMAND...)");
    return kUsage;
  }
  if (command[0][0] == '-') {
    print_error(absl::StrCat("run: unknown option ", command[0], " (see gapscope run --help)"));
    return kUsage;
  }
  const auto settings = given(options);
  if (!settings.ok()) {
    print_error(settings.status().message());
    return kUsage;
  }
  const auto library = library_of(options);
  if (!library.ok()) {
    print_error(library.status().message());
    return kBadInput;
  }
  for (const auto& [name, value] : *settings) set(environment, name, value);
  inject(environment, *library);
  if (options.preload) {
    if (const absl::Status status = preload(environment, *library); !status.ok()) {
      print_error(status.message());
      return kBadInput;
    }
  }
  const std::string run_id = absl::StrCat("run-", getpid(), "-", now_ns());
  set(environment, "GAPSCOPE_RUN_ID", run_id);
  const ChildResult result = run_child(command, environment);
  if (result.started) {
    print_what_was_left(environment, run_id, result);
  } else {
    print_error(result.error);
  }
  return end_like(result);
}

void add_variables(CLI::App& command, Options& options) {
  for (const ConfigOption& option : config_options()) {
    std::string& value = options.values.emplace_back();
    if (option.internal) continue;
    const std::string help = absl::StrCat("Sets ", option.name);
    if (option.type == "0|1") {
      // --quiet is --quiet=1
      command.add_flag(flag_of(option.name), value, help);
    } else {
      command.add_option(flag_of(option.name), value, help)
          ->type_name(absl::AsciiStrToUpper(option.type));
    }
  }
}

}  // namespace

void add_run(CLI::App& app, const Environment& environment,
             const std::vector<std::string>& from_dashes, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a program with gapscope inside");
  command->footer(absl::StrCat(
      "Usage: gapscope run [OPTIONS] [--] COMMAND [ARGUMENTS]\n\n"
      "Runs COMMAND with gapscope inside; its page appears on stderr at the end, that of its last\n"
      "snapshot where it was killed. The command gets the\n"
      "signals that are sent to gapscope, and its exit code (126, 127: it could not be started) "
      "is\n"
      "gapscope's. Each option sets an environment variable (gapscope help env explains them).",
      "\n\n", kFooter));
  command->add_option("--library", options->library,
                      "libgapscope.so, when it is not beside this program or in ../lib");
  command->add_flag("--preload", options->preload,
                    "Also preload libgapscope_preload.so: programs that end by _exit (os._exit, "
                    "workers of multiprocessing) then print their page too");
  add_variables(*command, *options);
  command->prefix_command();
  command->callback([options, command, &environment, &from_dashes, &action] {
    std::vector<std::string> words = command->remaining();
    // A "--" before the command is ours, a later one the command's.
    const bool ours = words.empty() && !from_dashes.empty();
    words.insert(words.end(), from_dashes.begin() + (ours ? 1 : 0), from_dashes.end());
    action = [options, words, &environment] { return run(*options, words, environment); };
  });
}

}  // namespace gapscope::cli
