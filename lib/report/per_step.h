// Figures per step: by what a scope's sums are divided.
#pragma once

#include "report/report.h"

namespace gapscope::report {

// The scope that a page shows: the steady state where there is one, else the whole run.
const Scope& shown_scope(const Report& report);

// How many steps of mean length the shown window (the longest of its devices) holds. Close to
// steps.time.count, which may lack the piece that no mark closed. 0 when no steps are known, or
// when they do not fill the window: sums over it divided by steps would be of other work.
double steps_shown(const Report& report);

}  // namespace gapscope::report
