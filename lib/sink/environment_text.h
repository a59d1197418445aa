// What a run ran in: for a person, and for conda and pip.
#pragma once

#include <string>

#include "report/report.h"

namespace gapscope::sink {

// Lines "name  value"; what is not known is left out. Printable text, ends with a newline.
std::string environment_text(const report::Process& process);

// An environment.yml: conda's packages with their builds, pip's below them. Names and versions that
// are none (they come from a file) are left out with a comment.
std::string conda_yaml(const report::Environment& environment);

// A requirements.txt of all packages that pip installed; in a conda environment those of conda are
// listed in a comment.
std::string requirements(const report::Environment& environment);

}  // namespace gapscope::sink
