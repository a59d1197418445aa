// The single checks of `gapscope doctor`: each looks at one thing and says what follows from it.
#pragma once

#include <optional>

#include "cli/doctor.h"

namespace gapscope::cli {

Finding check_driver(const Machine& machine, const DriverAnswer& driver);
Finding check_devices(const Machine& machine, const DriverAnswer& driver);

// As the library looks for it; then, since this program has no CUDA runtime loaded beside which it
// would be found, in the Python and conda environments that are active.
CuptiAnswer find_cupti(const Machine& machine);
Finding check_cupti(const CuptiAnswer& cupti, const DriverAnswer& driver);

Finding check_library(const Machine& machine);
// recorded: something has just been recorded, so it was permitted.
Finding check_permission(const Machine& machine, bool recorded);
Finding check_injection(const Machine& machine);
Finding check_nvtx(const Machine& machine);
Finding check_glibc(const Machine& machine);
// Nothing to say outside a conda environment, or a container.
std::optional<Finding> check_conda(const Machine& machine);
std::optional<Finding> check_container(const Machine& machine);

}  // namespace gapscope::cli
