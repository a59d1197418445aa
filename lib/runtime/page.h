// Where the page goes at the end of a run.
#pragma once

#include <string>

#include "report/report.h"
#include "runtime/config.h"

namespace gapscope {

// Writes the page with charts to Config::html_path, if there is one. Of several processes that name
// one file, the later ones put their process id into it.
void write_html(const report::Report& report, const Config& config);

// Prints the page to stderr or Config::output_path with one write; nothing under GAPSCOPE_QUIET,
// one line where the process is a rank that leaves the page to the first one. brief: the program
// failed, so only the five lines, not to bury its own words. written_path: the file that holds the
// whole report, "" if none; named where the page is brief, or where the user asked for the file.
void print_page(const report::Report& report, const Config& config, bool brief,
                const std::string& written_path);

}  // namespace gapscope
