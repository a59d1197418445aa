// The clock of the process, which fake_driver_clock makes its own: it can be stepped, and a thread
// that reads it can be held up there.
#pragma once

#include <cstdint>

namespace fake_driver {

// As NTP or an administrator does. False in programs whose clock cannot be stepped.
bool step_wall_clock(std::int64_t step_ns);

// From now on the threads of that name stand still when they read a clock, until the next call with
// nullptr. False in programs that cannot. name: static storage.
bool hold_up_thread(const char* name);
// How often a thread was held up.
int threads_held_up();

}  // namespace fake_driver
