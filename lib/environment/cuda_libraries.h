// The libraries of CUDA's among the files that a process has mapped, with their versions.
#pragma once

#include <string>
#include <vector>

#include "environment/file_view.h"
#include "report/report.h"

namespace gapscope::environment {

// Versions come from the file's name ("libcudart.so.12.9.79"), else from the wheel that holds it
// (packages), else from the SONAME's number. Ordered by name, then path.
std::vector<report::Library> cuda_libraries(const FileView& files,
                                            const std::vector<std::string>& mapped,
                                            const std::vector<report::Package>& packages);

// The number behind the SONAME's ".so." up to its first dot: 12 of "libcupti.so.12"; -1 if none.
int major_version(const report::Library& library);

}  // namespace gapscope::environment
