#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/gate_options.h"
#include "cli/json_path.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "cli/snapshots.h"
#include "report/report_json.h"
#include "sink/csv.h"
#include "sink/html.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string file;
  std::int64_t pid = 0;  // of the process whose snapshot is meant; 0: the file
  std::string output_path = "-";
  std::vector<std::string> json_paths;
  std::string csv;
  bool html = false;
  GateOptions gates;
  PageOptions page;
};

// One value after the other, each ended by a newline.
absl::StatusOr<std::string> select(const report::Report& report,
                                   const std::vector<std::string>& paths) {
  const std::string json = report::to_json(report);
  std::string values;
  for (const std::string& path : paths) {
    const auto value = select_json(json, path);
    if (!value.ok()) return value.status();
    values += *value;
  }
  return values;
}

absl::StatusOr<std::string> render(const Options& options, const Environment& environment,
                                   const report::Report& report) {
  if (!options.json_paths.empty()) return select(report, options.json_paths);
  if (options.html) return sink::to_html(report);
  if (const auto table = sink::csv_table(options.csv)) return sink::to_csv(report, *table);
  return sink::to_text(report, options.page.resolve(environment, options.output_path));
}

// What stands above the page of a process's snapshot.
std::string introduction(const Snapshot& snapshot) {
  const std::string who = absl::StrCat("Process ", snapshot.file.pid);
  const std::string age = age_text(snapshot.file);
  switch (snapshot.state) {
    case Snapshot::State::runs:
      return absl::StrCat(who, " runs; this is what was known ", age, " ago.\n");
    case Snapshot::State::ended:
      return absl::StrCat(who, " ended ", age, " ago; this is its whole report.\n");
    case Snapshot::State::died:
      break;
  }
  return absl::StrCat(who, " died without a word; this is what was known ", age, " ago.\n");
}

// The report that is meant, and what is to stand above its page.
absl::StatusOr<report::Report> find_report(const Options& options, const Environment& environment,
                                           std::string& above) {
  if (options.pid == 0) return report::read_report(options.file);
  auto snapshot = find_snapshot(load_config(environment, nullptr), static_cast<pid_t>(options.pid));
  if (!snapshot.ok()) return snapshot.status();
  const bool page = options.json_paths.empty() && options.csv.empty() && !options.html;
  if (page) above = introduction(*snapshot);
  return std::move(snapshot->report);
}

int show(const Options& options, const Environment& environment) {
  if ((options.pid != 0) == !options.file.empty()) {
    print_error("show: name a report or a process (gapscope show REPORT, gapscope show --pid PID)");
    return kUsage;
  }
  std::string above;
  const auto report = find_report(options, environment, above);
  if (!report.ok()) {
    print_error(report.status().message());
    return kBadInput;
  }
  auto text = render(options, environment, *report);
  if (!text.ok()) {
    print_error(absl::StrCat(options.file, ": ", text.status().message()));
    return kUsage;
  }
  *text = above + *text;
  if (const absl::Status status = write_output(options.output_path, *text); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return options.gates.check(nullptr, *report).finish();
}

}  // namespace

void add_show(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("show", "Print the page of a JSON report, or of a process");
  command->footer(absl::StrCat(
      "Prints the page of a report (GAPSCOPE_REPORT=FILE.json) once more, or parts of it in other\n"
      "forms. With --pid the report is the snapshot that a process with gapscope inside keeps of\n"
      "itself, asked for anew while it works. gapscope ps lists those that there are.",
      "\n\n", kFooter));
  command->add_option("REPORT", options->file, "The JSON report");
  command
      ->add_option("--pid", options->pid,
                   "Instead of a report: the snapshot of a process, whether it runs or not")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{std::numeric_limits<pid_t>::max()}));
  command->add_option("-o,--output", options->output_path,
                      "Write to this file instead of standard output");
  auto* json = command
                   ->add_option("--json", options->json_paths,
                                "Print one value of the report, for example devices[0].idle_ns; "
                                "may be repeated; \"\" is the whole report")
                   ->type_name("PATH")
                   ->expected(1)
                   ->take_all()
                   ->allow_extra_args(false);
  auto* csv =
      command
          ->add_option("--csv", options->csv,
                       "Print a table as CSV with nsys stats' columns: kernels, copies or api")
          ->check(CLI::IsMember({"kernels", "copies", "api"}));
  csv->excludes(json);
  command->add_flag("--html", options->html, "Print one HTML page with charts; it needs no network")
      ->excludes(json)
      ->excludes(csv);
  options->gates.add_to(*command, false);
  options->page.add_to(*command);
  command->callback([options, &environment, &action] {
    action = [options, &environment] { return show(*options, environment); };
  });
}

}  // namespace gapscope::cli
