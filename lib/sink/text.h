// The page: a report as text for a terminal.
#pragma once

#include <string>

#include "report/report.h"

namespace gapscope::sink {

struct TextOptions {
  int width = 80;       // columns; lines are folded or cut to it
  bool colour = false;  // ANSI colours
  bool utf8 = true;     // else ASCII only
  bool brief = false;   // the first five lines and where the whole report is
  std::string report_path;  // shown when not empty
};

// Never fails; ends with a newline.
std::string to_text(const report::Report& report, const TextOptions& options);

// Options for writing to file descriptor fd: width, colour (NO_COLOR obeyed) and UTF-8 as its
// terminal and the given environment say. env: see runtime/config.h.
}  // namespace gapscope::sink
