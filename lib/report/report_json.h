// A report as JSON and back. The JSON is documented field by field in lib/report/README.md.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "report/report.h"

namespace gapscope::report {

// Stable order of keys and entries, two-space indentation, newline at the end.
std::string to_json(const Report& report);

// Errors (InvalidArgument): not JSON, not a gapscope report, newer schema version, wrong types.
absl::StatusOr<Report> from_json(const std::string& text);

// Reads a file; errors name the path.
absl::StatusOr<Report> read_report(const std::string& path);

}  // namespace gapscope::report
