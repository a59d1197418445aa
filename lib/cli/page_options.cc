#include "cli/page_options.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace gapscope::cli {
namespace {

constexpr int kMinWidth = 40;
constexpr int kMaxWidth = 1000;

}  // namespace

void PageOptions::add_to(CLI::App& command) {
  command.add_option("--width", width_, "Columns of the page (default: the terminal's, else 80)")
      ->check(CLI::Range(kMinWidth, kMaxWidth));
  command.add_option("--color", colour_, "auto, always or never (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

sink::TextOptions PageOptions::resolve(const Environment& environment,
                                       const std::string& path) const {
  const Config config = load_config(environment, nullptr);
  const bool terminal = path == "-" && isatty(STDOUT_FILENO) == 1;
  sink::TextOptions options;
  winsize size{};
  if (width_ != 0) {
    options.width = width_;
  } else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kMinWidth) {
    options.width = size.ws_col;
  }
  ColourMode mode = config.colour;
  if (colour_ == "always") mode = ColourMode::always;
  if (colour_ == "never") mode = ColourMode::never;
  if (colour_ == "auto") mode = ColourMode::auto_;
  options.colour =
      mode == ColourMode::always || (mode == ColourMode::auto_ && terminal && !config.no_color);
  options.utf8 = config.utf8_locale;
  return options;
}

}  // namespace gapscope::cli
