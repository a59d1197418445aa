#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "cli/progress_bar.h"
#include "cli/replay_analysis.h"
#include "report/report_json.h"
#include "sink/html.h"
#include "sink/trace_writer.h"

namespace gapscope::cli {
namespace {

struct Options {
  std::string file;  // empty: the demo
  std::string report_path;
  std::string output_path = "-";
  std::string capture;
  std::string trace_path;
  std::string trace_limit;
  std::string html_path;
  bool quiet = false;
  PageOptions page;
};

absl::StatusOr<ReplayInfo> feed(const Options& options, ReplayAnalysis& analysis) {
  if (options.file.empty()) {
    const std::string_view demo = demo_recording();
    if (demo.empty()) {
      return absl::NotFoundError(
          "this gapscope was built without the demo recording; name a file, "
          "gapscope replay FILE.gsrec");
    }
    return replay_recording(demo.data(), demo.size(), analysis);
  }
  ProgressBar bar(absl::StrCat("replaying ", options.file));
  return replay_recording(options.file, analysis, [&bar](std::uint64_t done, std::uint64_t total) {
    bar.update(done, total);
  });
}

// Null when none is asked for.
absl::StatusOr<std::unique_ptr<sink::TraceWriter>> open_trace(const Options& options) {
  if (options.trace_path.empty()) return nullptr;
  const Environment limit = {{"GAPSCOPE_TRACE_LIMIT", options.trace_limit}};
  return sink::TraceWriter::open(options.trace_path, load_config(limit, nullptr).trace_limit_bytes);
}

absl::Status close_trace(sink::TraceWriter* trace) {
  if (trace == nullptr) return absl::OkStatus();
  const absl::Status status = trace->close();
  if (status.ok() && trace->stopped()) {
    print_error(absl::StrCat("the trace stopped at its limit of ", trace->limit_bytes(),
                             " bytes (--trace-limit)"));
  }
  return status;
}

std::string check_limit(const std::string& text) {
  std::vector<std::string> complaints;
  load_config({{"GAPSCOPE_TRACE_LIMIT", text}}, &complaints);
  return complaints.empty() ? std::string() : complaints.front();
}

absl::Status write_results(const Options& options, const Environment& environment,
                           const report::Report& report) {
  if (!options.report_path.empty()) {
    const absl::Status status = write_output(options.report_path, report::to_json(report));
    if (!status.ok()) return status;
  }
  if (!options.html_path.empty()) {
    const absl::Status status = write_output(options.html_path, sink::to_html(report));
    if (!status.ok()) return status;
  }
  if (options.quiet || options.report_path == "-") return absl::OkStatus();
  sink::TextOptions text = options.page.resolve(environment, options.output_path);
  text.report_path = options.report_path;
  return write_output(options.output_path, sink::to_text(report, text));
}

int replay(const Options& options, const Environment& environment) {
  std::optional<CaptureSpec> capture;
  if (!options.capture.empty()) capture = parse_capture(options.capture);
  const auto trace = open_trace(options);
  if (!trace.ok()) {
    print_error(trace.status().message());
    return kBadOutput;
  }
  ReplayAnalysis analysis(capture, trace->get());
  const auto info = feed(options, analysis);
  if (!info.ok()) {
    print_error(info.status().message());
    return kBadInput;
  }
  const report::Report report = analysis.finish(*info);
  const std::string missing = shortfall(*info);
  if (!missing.empty()) {
    print_error(absl::StrCat(options.file.empty() ? "demo" : options.file, ": ", missing));
  }
  if (const absl::Status status = close_trace(trace->get()); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  if (const absl::Status status = write_results(options, environment, report); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return info->complete ? kOk : kBadInput;
}

std::string check_capture(const std::string& text) {
  if (parse_capture(text)) return {};
  return absl::StrCat("'", text, "' is not ", capture_syntax());
}

}  // namespace

void add_replay(CLI::App& app, const Environment& environment, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("replay", "Print the page of a recorded run");
  command->footer(absl::StrCat(
      "Analyses a recording (GAPSCOPE_RECORD=FILE.gsrec) as the live run did, and prints its "
      "page.\n"
      "Without FILE: the recording that ships with gapscope. A recording that was cut off is "
      "shown\n"
      "as far as it goes, with exit code 2.",
      "\n\n", kFooter));
  command->add_option("FILE", options->file, "The recording");
  command->add_option("--report", options->report_path,
                      "Also write the JSON report to this file; - writes it to standard output "
                      "instead of the page");
  command->add_option("--trace", options->trace_path,
                      "Also write a trace (Chrome's format, PyTorch's dialect) to this file; "
                      "compressed when its name ends in .gz");
  command->add_option("--trace-limit", options->trace_limit, "Most bytes of the trace (256MiB)")
      ->type_name("SIZE")
      ->check(CLI::Validator(check_limit, "SIZE"));
  command->add_option("--html", options->html_path, "Also write the page with charts to this file");
  command->add_option("-o,--output", options->output_path,
                      "Write the page to this file instead of standard output");
  command->add_flag("-q,--quiet", options->quiet, "No page");
  command
      ->add_option(
          "--capture", options->capture,
          absl::StrCat("What is counted, instead of what the run counted: ", capture_syntax()))
      ->check(CLI::Validator(check_capture, "SPEC"));
  options->page.add_to(*command);
  command->callback([options, &environment, &action] {
    action = [options, &environment] { return replay(*options, environment); };
  });
}

}  // namespace gapscope::cli
