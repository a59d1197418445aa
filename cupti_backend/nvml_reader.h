// What NVML, the driver's management library, says of the GPUs: clocks, power, utilisation.
#pragma once

#include <cstdint>
#include <vector>

#include "report/report.h"

namespace gapscope::cupti {

// Loads libnvidia-ml.so.1, asks and lets it go again. Of each GPU that answers uuid and nvml are
// set; empty where the library is missing or refuses, never loud. since_ns (CLOCK_REALTIME): older
// samples of utilisation are of another program. May take long or hang in the driver: only for a
// thread that nobody must wait for.
std::vector<report::Gpu> read_nvml(std::int64_t since_ns);

}  // namespace gapscope::cupti
