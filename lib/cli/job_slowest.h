// Which rank the others wait for, and what it does longer than they. Part of job.h.
#pragma once

#include <optional>

#include "cli/job.h"

namespace gapscope::cli {

// Where collectives could be compared: the rank that waits least in them; else the one with the
// longest step or window. Nothing when the ranks differ by 1 % or less.
std::optional<Slowest> find_slowest(const Job& job);

}  // namespace gapscope::cli
