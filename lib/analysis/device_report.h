// One device's tallies as the report shows them.
#pragma once

#include "analysis/device_tally.h"
#include "analysis/names.h"
#include "analysis/timeline.h"
#include "report/report.h"

namespace gapscope {

// Everything of report::Device that comes from the tally and the timeline.
report::Device device_report(const DeviceTally& tally, const Timeline& timeline,
                             const NameTable& names, std::uint32_t max_warps);

}  // namespace gapscope
