#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "sink/text.h"

namespace gapscope::sink {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kNarrowest = 60;
constexpr int kWidest = 140;  // longer lines are hard to follow

}  // namespace

TextOptions text_options_for(int fd, std::optional<bool> colour, bool no_color, bool utf8) {
  TextOptions options;
  options.utf8 = utf8;
  const bool terminal = ::isatty(fd) == 1;
  options.colour = colour.value_or(terminal && !no_color);
  options.width = kDefaultWidth;
  winsize size{};
  if (terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = std::clamp(static_cast<int>(size.ws_col), kNarrowest, kWidest);
  return options;
}

}  // namespace gapscope::sink
