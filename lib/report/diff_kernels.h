// The kernels' share of a diff.
#pragma once

#include "report/diff.h"

namespace gapscope::report {

// Fills diff.kernels and diff.kernels_same. Each side is divided by its divisor.
void diff_kernels(const Scope& before, const Scope& after, double divisor_before,
                  double divisor_after, Diff& diff);

}  // namespace gapscope::report
