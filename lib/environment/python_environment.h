// The Python that a process runs: interpreter, torch, conda environment or virtualenv, packages.
#pragma once

#include <string>
#include <vector>

#include "environment/file_view.h"
#include "report/report.h"

namespace gapscope::environment {

// Fills the fields of Python, torch, conda and virtualenv, and packages. program: the process's
// executable, links resolved; version: of the interpreter where it is known already, else "".
void describe_python(const FileView& files, const std::vector<std::string>& mapped,
                     const std::string& program, const std::string& version,
                     report::Environment& out);

}  // namespace gapscope::environment
