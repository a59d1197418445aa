#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/gate_options.h"
#include "cli/json_path.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "report/report_json.h"
#include "sink/csv.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string file;
  std::string output_path = "-";
  std::string json_path;
  bool json_given = false;
  std::string csv;
  GateOptions gates;
  PageOptions page;
};

absl::StatusOr<std::string> render(const Options& options, const Environment& environment,
                                   const report::Report& report) {
  if (options.json_given) return select_json(report::to_json(report), options.json_path);
  if (const auto table = sink::csv_table(options.csv)) return sink::to_csv(report, *table);
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
  return options.gates.check(nullptr, *report).finish();
}

}  // namespace

void add_show(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "Print the page of a JSON report");
  command->footer(absl::StrCat(
      "Prints the page of a report (GAPSCOPE_REPORT=FILE.json) once more, or parts of it in other\n"
      "forms.",
      "\n\n", kFooter));
  command->add_option("REPORT", options->file, "The JSON report")->required();
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of standard output");
  auto* json = command->add_option("--json", options->json_path,
                                   "Print one value of the report, for example devices[0].idle_ns");
  auto* csv =
      command
          ->add_option("--csv", options->csv,
                       "Print a table as CSV with nsys stats' columns: kernels, copies or api")
          ->check(CLI::IsMember({"kernels", "copies", "api"}));
  csv->excludes(json);
  options->gates.add_to(*command, false);
  options->page.add_to(*command);
  command->callback([options, json, &environment, &action] {
    options->json_given = json->count() > 0;
    action = [options, &environment] { return show(*options, environment); };
  });
}

}  // namespace gapscope::cli
