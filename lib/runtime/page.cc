#include "runtime/page.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/file_output.h"
#include "runtime/files.h"
#include "runtime/owned_file.h"
#include "sink/html.h"
#include "sink/text.h"

namespace gapscope {
namespace {

sink::TextOptions options_for(const Config& config, bool to_stderr) {
  sink::TextOptions options;
  const bool terminal = to_stderr && isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
    options.width = size.ws_col;
  }
  options.colour = config.colour == ColourMode::always ||
                   (config.colour == ColourMode::auto_ && terminal && !config.no_color);
  options.utf8 = config.utf8_locale;
  return options;
}

// Of many ranks only the first prints its page; a file that was asked for is each rank's own.
bool leaves_page_to_first_rank(const Config& config) {
  const std::string rank = config.rank.substr(0, config.rank.find('/'));
  return config.page_ranks == PageRanks::first && config.output_path.empty() && !rank.empty() &&
         rank.find_first_not_of('0') != std::string::npos;
}

void print_rank_line(const Config& config, const std::string& written_path) {
  complain(written_path.empty()
               ? fmt::format("rank {}: no page here (GAPSCOPE_RANKS=all prints every rank's; "
                             "GAPSCOPE_REPORT=report.%r.json keeps the reports)",
                             config.rank)
               : fmt::format("rank {}: report in {} (gapscope show prints it)", config.rank,
                             written_path));
}

}  // namespace

void write_html(const report::Report& report, const Config& config) {
  if (config.html_path.empty()) return;
  OwnedFile file(config.html_path, process_start_ns());
  const absl::Status status = file.write(sink::to_html(report));
  if (!status.ok()) complain(fmt::format("no HTML page: {}", status.message()));
}

void print_page(const report::Report& report, const Config& config, bool brief,
                const std::string& written_path) {
  if (config.quiet) return;
  if (leaves_page_to_first_rank(config)) return print_rank_line(config, written_path);
  sink::TextOptions options = options_for(config, config.output_path.empty());
  options.brief = brief && config.output_path.empty();
  if (options.brief || !config.report_path.empty()) options.report_path = written_path;
  const std::string page = sink::to_text(report, options);
  if (config.output_path.empty()) {
    write_all(STDERR_FILENO, page);
    return;
  }
  const absl::Status status = OwnedFile(config.output_path, process_start_ns()).write(page);
  if (!status.ok()) complain(fmt::format("no page: {}", status.message()));
}

}  // namespace gapscope
