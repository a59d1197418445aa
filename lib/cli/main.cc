// gapscope: look at recordings and reports after the run.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gapscope/gapscope.h"

namespace gapscope::cli {
namespace {

// CLI11 reports help and version as exceptions too.
int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream out, ignored;
    app.exit(error, out, ignored);
    const absl::Status status = write_stdout(out.str());
    if (status.ok()) return kOk;
    print_error(status.message());
    return kBadOutput;
  }
  std::string name = "gapscope";
  for (const CLI::App* sub : app.get_subcommands()) absl::StrAppend(&name, " ", sub->get_name());
  print_error(absl::StrCat(error.what(), " (see ", name, " --help)"));
  return kUsage;
}

// "--" and what follows belongs to the command of `gapscope run`, whatever it looks like.
std::vector<std::string> cut_at_dashes(std::vector<std::string>& words) {
  if (words.empty() || words[0] != "run") return {};
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  std::vector<std::string> rest(dashes, words.end());
  words.erase(dashes, words.end());
  return rest;
}

int run(int argc, char** argv) {
  const Environment environment = environ_entries();
  CLI::App app("Why was the GPU not working? Looks at what libgapscope.so wrote.", "gapscope");
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::vector<std::string> from_dashes = cut_at_dashes(words);
  Action action;
  app.set_version_flag("--version", absl::StrCat("gapscope ", GAPSCOPE_VERSION_STRING));
  app.footer(absl::StrCat(
      kFooter,
      "\n\ngapscope COMMAND --help says more; gapscope help env lists the environment variables."));
  app.require_subcommand(0, 1);
  add_run(app, environment, from_dashes, action);
  add_show(app, environment, action);
  add_ps(app, environment, action);
  add_diff(app, environment, action);
  add_merge(app, environment, action);
  add_replay(app, environment, action);
  add_env(app, environment, action);
  add_calibrate(app, environment, action);
  add_completion(app, environment, action);
  add_doctor(app, environment, action);
  add_help(app, environment, action);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error);
  }
  if (action) return action();
  print_error("a command is needed (see gapscope --help)");
  return kUsage;
}

}  // namespace
}  // namespace gapscope::cli

int main(int argc, char** argv) {
  gapscope::cli::prepare_standard_streams();
  try {
    return gapscope::cli::run(argc, argv);
  } catch (const std::exception& error) {  // memory, or CLI11's own
    gapscope::cli::print_error(error.what());
    return gapscope::cli::kBadInput;
  }
}
