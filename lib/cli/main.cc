// gapscope: look at recordings and reports after the run.
#include <exception>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/output.h"
#include "gapscope/gapscope.h"

namespace gapscope::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 fine; 1 the command line is wrong; 2 an input file cannot be read, is not\n"
    "gapscope's, is newer, damaged or cut off; 3 a --fail-if holds; 4 a result cannot be written.\n"
    "`gapscope run` ends with the exit code of the program it ran.\n\n"
    "gapscope COMMAND --help says more; gapscope help env lists the environment variables.";

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

int run(int argc, char** argv) {
  const Environment environment = environ_entries();
  CLI::App app("Why was the GPU not working? Looks at what libgapscope.so wrote.", "gapscope");
  Action action;
  app.set_version_flag("--version", absl::StrCat("gapscope ", GAPSCOPE_VERSION_STRING));
  app.footer(kFooter);
  app.require_subcommand(1);
  add_show(app, environment, action);
  add_replay(app, environment, action);
  add_help(app, environment, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error);
  }
  return action();
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
