#include "runtime/page.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/file_output.h"
#include "runtime/files.h"
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

}  // namespace

void print_page(const report::Report& report, const Config& config, bool brief,
                const std::string& report_path) {
  if (config.quiet) return;
  sink::TextOptions options = options_for(config, config.output_path.empty());
  options.brief = brief && config.output_path.empty();
  options.report_path = report_path;
  const std::string page = sink::to_text(report, options);
  if (config.output_path.empty()) {
    write_all(STDERR_FILENO, page);
    return;
  }
  const absl::Status status = write_file(config.output_path, page);
  if (!status.ok()) complain(fmt::format("no page: {}", status.message()));
}

}  // namespace gapscope
