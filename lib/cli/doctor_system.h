// The running system, as `gapscope doctor` asks it: everything foreign is loaded in a child
// process, which may crash or hang without harm.
#pragma once

#include "cli/doctor.h"

namespace gapscope::cli {

Machine this_machine(const Environment& environment);

// Runs work in a child and returns what it gave; otherwise how the child ended. Its stderr goes to
// words, if that is not null. Call from the only thread.
struct ChildAnswer {
  std::string text;
  std::string failure;  // "ended by signal 11", "did not end within 60 s"; empty when text holds
};
ChildAnswer ask_in_child(const std::function<std::string()>& work, std::string* words = nullptr);

}  // namespace gapscope::cli
