// --fail-if: conditions under which a command ends with exit code 3. Shared by diff and show.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/gate.h"

namespace gapscope::cli {

struct GateOutcome {
  std::vector<report::GateResult> results;  // of the gates that could be decided
  std::vector<std::string> failures;        // one line each, for stderr

  // Prints the failures; kGateFailed when there are any, else kOk.
  int finish() const;
};

class GateOptions {
 public:
  // Adds --fail-if; a text that is no gate is a usage error. relative: whether gates that compare
  // with an old report are allowed. This must outlive the parsing.
  void add_to(CLI::App& command, bool relative);

  // A gate that cannot be decided (a figure is missing) counts as failed: it must never pass
  // silently. before may be null where no gate is relative.
  GateOutcome check(const report::Report* before, const report::Report& after) const;

 private:
  std::vector<std::string> texts_;
};

// The text of `gapscope help gates`.
std::string gates_help();

}  // namespace gapscope::cli
