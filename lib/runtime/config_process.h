// What the environment says about the process: its rank, its terminal's wishes, where CUDA is.
// Part of config.h's implementation.
#pragma once

#include <string>

#include "runtime/config.h"

namespace gapscope::config {

// "0/8" from the first launcher's variables that are there; see Config::rank.
std::string detect_rank(const Environment& environment);

// As setlocale would decide it for LC_CTYPE.
bool is_utf8_locale(const Environment& environment);

// Fills Config's fields that no GAPSCOPE_ variable sets.
void read_process(const Environment& environment, Config& config);

}  // namespace gapscope::config
