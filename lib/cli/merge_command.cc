#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/job_text.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "cli/progress_bar.h"
#include "report/report_json.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string output_path = "-";
  std::string json_path;
  bool all = false;
  PageOptions page;
};

// A report that cannot be read is left out and said in errors.
std::vector<RankSummary> read_all(const std::vector<std::string>& files,
                                  std::vector<std::string>& errors) {
  ProgressBar bar("merging");
  std::vector<RankSummary> ranks;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto report = report::read_report(files[i]);
    if (report.ok()) {
      ranks.push_back(summarise(*report, files[i]));
    } else {
      errors.emplace_back(report.status().message());
    }
    bar.update(i + 1, files.size());
  }
  return ranks;
}

absl::Status write_results(const Options& options, const Environment& environment, const Job& job) {
  if (!options.json_path.empty()) {
    const absl::Status status = write_output(options.json_path, job_to_json(job));
    if (!status.ok() || options.json_path == "-") return status;
  }
  return write_output(
      options.output_path,
      job_to_text(job, options.page.resolve(environment, options.output_path), options.all));
}

int merge(const Options& options, const Environment& environment) {
  std::vector<std::string> errors;
  std::vector<RankSummary> ranks = read_all(options.files, errors);
  for (const std::string& error : errors) print_error(error);
  if (ranks.empty()) return kBadInput;
  const Job job = make_job(std::move(ranks));
  if (const absl::Status status = write_results(options, environment, job); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return errors.empty() ? kOk : kBadInput;
}

}  // namespace

void add_merge(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("merge", "One page for the reports of a job's ranks");
  command->footer(absl::StrCat(
      "Per rank the shares of compute, exposed communication, copies and idle time, what it waits\n"
      "for the others at least, the slowest rank and why, and which ranks are missing. A report\n"
      "that cannot be read is left out; the exit code is then 2.\n\n",
      kFooter));
  command
      ->add_option("REPORT", options->files, "JSON reports, one a rank (GAPSCOPE_REPORT=r%r.json)")
      ->required();
  command->add_option("-o,--output", options->output_path,
                      "Write the page to this file instead of standard output");
  command->add_option("--json", options->json_path,
                      "Also write the figures as JSON to this file; - writes them to standard "
                      "output instead of the page");
  command->add_flag("--all", options->all, "Every rank, also of large jobs");
  options->page.add_to(*command);
  command->callback([options, &environment, &action] {
    action = [options, &environment] { return merge(*options, environment); };
  });
}

}  // namespace gapscope::cli
