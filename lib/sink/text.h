// The page: a report as text for a terminal.
#pragma once

#include <optional>
#include <string>

#include "report/report.h"

namespace gapscope::sink {

struct TextOptions {
  int width = 80;           // columns; lines are folded or cut to it
  bool colour = false;      // ANSI colours
  bool utf8 = true;         // else ASCII only
  bool brief = false;       // the first five lines and where the whole report is
  std::string report_path;  // shown when not empty
};

// Never fails; ends with a newline.
std::string to_text(const report::Report& report, const TextOptions& options);

// The page's lines of shares alone, one a device; why there are none where there is no device.
std::string to_shares(const report::Report& report, const TextOptions& options);

// Options for writing to file descriptor fd: on a terminal its width (60 to 140 columns) and
// colours, elsewhere 80 columns and none. colour, when given, decides; no_color is NO_COLOR being
// set; utf8 whether the locale is UTF-8. Thread-safe; reads no environment.
TextOptions text_options_for(int fd, std::optional<bool> colour, bool no_color, bool utf8);

}  // namespace gapscope::sink
