// How a page is to look on stdout or in a file: the command-line options that replay and show
// share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "runtime/config.h"
#include "sink/text.h"

namespace gapscope::cli {

class PageOptions {
 public:
  // Adds --width and --color; this must outlive the parsing.
  void add_to(CLI::App& command);

  // For a page that goes to the path ("-": stdout). Width: --width, the terminal's, else 80.
  // Colour:
  // --color, GAPSCOPE_COLOR, else on a terminal without NO_COLOR.
  sink::TextOptions resolve(const Environment& environment, const std::string& path) const;

 private:
  int width_ = 0;  // 0: not given
  std::string colour_;
};

}  // namespace gapscope::cli
