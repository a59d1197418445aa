// The record of what a process ran in, for reproduction: gathered from /proc and from files that
// lie there, without importing, executing or calling anything of the program's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment/file_view.h"
#include "report/report.h"

namespace gapscope::environment {

struct Request {
  std::vector<report::Variable> variables;  // of the fixed list of config_process.cc, as they are
  std::string python_version;               // where the interpreter itself has told it
  bool anonymous = false;                   // no folders, no names that people gave
};

struct Gathered {
  report::Environment environment;    // without gpus
  std::vector<std::string> warnings;  // one line each, for the page
};

// Takes milliseconds, more on a slow file system: on a thread of its own. files has /proc/self.
Gathered gather(const FileView& files, const Request& request);

}  // namespace gapscope::environment
