#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/json_path.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "report/report_json.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string file;
  std::string output_path = "-";
  std::string json_path;
  bool json_given = false;
  PageOptions page;
};

absl::StatusOr<std::string> render(const Options& options, const Environment& environment,
                                   const report::Report& report) {
  if (options.json_given) return select_json(report::to_json(report), options.json_path);
  return sink::to_text(report, options.page.resolve(environment, options.output_path));
}

int show(const Options& options, const Environment& environment) {
  const auto report = report::read_report(options.file);
  if (!report.ok()) {
    print_error(report.status().message());
    return kBadInput;
  }
  const auto text = render(options, environment, *report);
  if (!text.ok()) {
    print_error(absl::StrCat(options.file, ": ", text.status().message()));
    return kUsage;
  }
  if (const absl::Status status = write_output(options.output_path, *text); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return kOk;
}

}  // namespace

void add_show(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "Print the page of a JSON report");
  command->description(
      "Prints the page of a report (GAPSCOPE_REPORT=FILE.json) once more, or parts of it in other\n"
      "forms.");
  command->add_option("REPORT", options->file, "The JSON report")->required();
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of standard output");
  auto* json = command->add_option(
      "--json", options->json_path,
      "Print one value of the report, for example whole.devices[0].time.idle_ns");
  options->page.add_to(*command);
  command->callback([options, json, &environment, &action] {
    options->json_given = json->count() > 0;
    action = [options, &environment] { return show(*options, environment); };
  });
}

}  // namespace gapscope::cli
