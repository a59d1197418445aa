// A step that was kept, in words: the picture of it that a report holds.
#pragma once

#include <cstdint>

#include "analysis/host_evidence.h"
#include "analysis/names.h"
#include "analysis/step_choice.h"
#include "report/report.h"

namespace gapscope {

// At most that many streams and threads together, those that come first; what the others did is
// counted as left out.
inline constexpr std::size_t kMaxStepTracks = 64;

// idle_device: whose idle time the step's is. Times are cut at the step's limits.
report::StepView step_view(const KeptStep& step, std::uint32_t idle_device, const NameTable& names,
                           const HostEvidence& evidence);

}  // namespace gapscope
