// A report as one HTML page with charts: a single file that needs no network.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace gapscope::sink {

// The page's parts are embedded, compressed (lib/sink/html/); the report stands in it as JSON in
// which no "<" is left, so that a name cannot become markup. Never fails; thread-safe.
std::string to_html(const report::Report& report);

// The page without data, as gzip; written at build time.
std::string_view html_page_gzip();

}  // namespace gapscope::sink
