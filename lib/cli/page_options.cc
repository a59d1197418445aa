#include "cli/page_options.h"

#include <unistd.h>

#include <optional>

namespace gapscope::cli {
namespace {

constexpr int kMinWidth = 40;
constexpr int kMaxWidth = 1000;
constexpr int kNoDescriptor = -1;

std::optional<bool> forced_colour(ColourMode mode) {
  if (mode == ColourMode::auto_) return std::nullopt;
  return mode == ColourMode::always;
}

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
  ColourMode mode = config.colour;
  if (colour_ == "always") mode = ColourMode::always;
  if (colour_ == "never") mode = ColourMode::never;
  if (colour_ == "auto") mode = ColourMode::auto_;
  const int fd = path == "-" ? STDOUT_FILENO : kNoDescriptor;
  sink::TextOptions options =
      sink::text_options_for(fd, forced_colour(mode), config.no_color, config.utf8_locale);
  if (width_ != 0) options.width = width_;
  return options;
}

}  // namespace gapscope::cli
