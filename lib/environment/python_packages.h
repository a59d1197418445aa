// What is installed, told from the names of folders and files alone: nothing is imported or run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "environment/file_view.h"
#include "report/report.h"

namespace gapscope::environment {

inline constexpr std::size_t kMaxPackages = 2000;

// As PEP 503 compares names: lower case, one "-" for each run of "-", "_" and ".".
std::string normal_name(std::string_view name);

// From the NAME-VERSION.dist-info folders of a site-packages folder; sorted by name.
std::vector<report::Package> pip_packages(const FileView& files, std::string_view site_packages);

// From the NAME-VERSION-BUILD.json files of a conda prefix; sorted by name.
std::vector<report::Package> conda_packages(const FileView& files, std::string_view prefix);

}  // namespace gapscope::environment
