// The wall clock of the process, which fake_driver_clock can step.
#pragma once

#include <cstdint>

namespace fake_driver {

// As NTP or an administrator does. False in programs whose clock cannot be stepped.
bool step_wall_clock(std::int64_t step_ns);

}  // namespace fake_driver
