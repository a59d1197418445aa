// A diff of two reports as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "report/diff.h"
#include "report/gate.h"
#include "sink/text.h"

namespace gapscope::sink {

// The comparison, largest change first, then promises, kernels and notes. Never fails; ends with a
// newline. before and after are the reports that the diff was made of.
std::string diff_to_text(const report::Diff& diff, const report::Report& before,
                         const report::Report& after, const TextOptions& options);

// One line a gate, "PASS" or "FAIL"; empty without gates.
std::string gates_to_text(const std::vector<report::GateResult>& gates, const TextOptions& options);

}  // namespace gapscope::sink
