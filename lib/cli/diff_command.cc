#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/gate_options.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "report/diff.h"
#include "report/report_json.h"
#include "sink/diff_text.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string before;
  std::string after;
  std::string output_path = "-";
  bool quiet = false;
  GateOptions gates;
  PageOptions page;
};

int diff(const Options& options, const Environment& environment) {
  const auto before = report::read_report(options.before);
  const auto after = report::read_report(options.after);
  for (const auto* report : {&before, &after}) {
    if (report->ok()) continue;
    print_error(report->status().message());
    return kBadInput;
  }
  const GateOutcome gates = options.gates.check(&*before, *after);
  const sink::TextOptions text = options.page.resolve(environment, options.output_path);
  std::string page;
  if (!options.quiet) {
    page = sink::diff_to_text(report::diff(*before, *after), *before, *after, text);
  }
  absl::StrAppend(&page, sink::gates_to_text(gates.results, text));
  if (const absl::Status status = write_output(options.output_path, page); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return gates.finish();
}

}  // namespace

void add_diff(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "Compare two reports: what a change won or lost");
  command->footer(absl::StrCat(
      "Per step of the steady state where both reports have steps, else per run: the change as "
      "the\n"
      "sum of the changes of compute, communication, copies and each cause of idle time, largest\n"
      "first; what the old report's advice promised and what was won; kernels that are new, gone "
      "or\n"
      "slower.\n\n",
      kFooter));
  command->add_option("OLD", options->before, "The JSON report before the change")->required();
  command->add_option("NEW", options->after, "The JSON report after it")->required();
  options->gates.add_to(*command, true);
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of standard output");
  command->add_flag("-q,--quiet", options->quiet, "Only the gates");
  options->page.add_to(*command);
  command->callback([options, &environment, &action] {
    action = [options, &environment] { return diff(*options, environment); };
  });
}

}  // namespace gapscope::cli
