// Who adds rows to gapscope_bench: each subject's file says so once, so that a subject which cannot
// be built here is simply left out.
#pragma once

namespace gapscope::bench {

// smoke: every row once, over a short stream.
using AddRows = void (*)(bool smoke);
bool register_rows(AddRows add);
void add_all_rows(bool smoke);

}  // namespace gapscope::bench
