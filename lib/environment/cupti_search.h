// Where a libcupti may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "environment/file_view.h"

namespace gapscope::environment {

struct CuptiHints {
  std::string cupti_path;  // GAPSCOPE_CUPTI_PATH: a file or a folder
  std::string cuda_home;   // CUDA_HOME
};

// In the order in which a process with these files mapped tries them: the hint, beside the CUDA
// runtime that it has, the toolkits, and last bare names, which dlopen looks up by itself. Most do
// not exist.
std::vector<std::string> cupti_candidates(const FileView& files, const CuptiHints& hints,
                                          const std::vector<std::string>& mapped);

// The names that a libcupti may have, newest first.
std::vector<std::string_view> cupti_names();

// Existing files in a folder of Python's modules (site-packages), where NVIDIA's wheels put them.
std::vector<std::string> cupti_wheels(const FileView& files, std::string_view site_packages);

}  // namespace gapscope::environment
