#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/report_json.h"
#include "sink/environment_text.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string file;
  std::string output_path = "-";
  bool conda_yaml = false;
  bool requirements = false;
};

int env(const Options& options) {
  const auto report = report::read_report(options.file);
  if (!report.ok()) {
    print_error(report.status().message());
    return kBadInput;
  }
  const report::Environment& environment = report->process.environment;
  const bool recreate = options.conda_yaml || options.requirements;
  if (recreate && environment.packages.empty()) {
    print_error(absl::StrCat(options.file, ": holds no list of packages (no Python was seen)"));
    return kBadInput;
  }
  const std::string text = options.conda_yaml     ? sink::conda_yaml(environment)
                           : options.requirements ? sink::requirements(environment)
                                                  : sink::environment_text(report->process);
  const absl::Status status = write_output(options.output_path, text);
  if (status.ok()) return kOk;
  print_error(status.message());
  return kBadOutput;
}

}  // namespace

void add_env(CLI::App& app, const Environment&, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("env", "What a reported run ran in, to run it again");
  command->footer(absl::StrCat(
      "The command, the GPU, the CUDA libraries that were really mapped, Python, its packages and\n"
      "the git revision, as far as the report holds them. Names and versions are read from files:\n"
      "what was installed from elsewhere than a package index cannot be told from it.\n\n",
      kFooter));
  command->add_option("REPORT", options->file, "The JSON report")->required();
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of standard output");
  auto* yaml = command->add_flag("--conda-yaml", options->conda_yaml,
                                 "An environment.yml for conda env create");
  command
      ->add_flag("--requirements", options->requirements, "A requirements.txt for pip install -r")
      ->excludes(yaml);
  command->callback([options, &action] { action = [options] { return env(*options); }; });
}

}  // namespace gapscope::cli
