// The environment as lines of text, "key=value", and back: how it travels through the record
// stream (MetaKey::environment), one line a record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace gapscope::report {

// Empty fields give no line; of gpus only nvml and the uuid that it belongs to are written (they
// have records of their own).
std::vector<std::string> environment_lines(const Environment& environment);

// Takes any text: an unknown key is of a newer version and ignored, a line that was cut is taken as
// far as it goes. Lists stop at 4,000 entries.
void add_environment_line(std::string_view line, Environment& environment);

}  // namespace gapscope::report
