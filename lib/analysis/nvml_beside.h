// NVML's view of a GPU beside ours: its utilisation over the same time, and who else uses the GPU.
#pragma once

#include <cstdint>

#include "report/report.h"

namespace gapscope {

// Sets own_busy_pct of the GPUs that NVML told of, and warns where a GPU has other processes, whose
// work reads as idle time here. end_ns: of the process, or what is known of it.
void put_nvml_beside(report::Report& report, std::int64_t end_ns);

}  // namespace gapscope
