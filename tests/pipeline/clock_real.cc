#include "wall_clock.h"

namespace fake_driver {

bool step_wall_clock(std::int64_t) { return false; }
bool hold_up_thread(const char*) { return false; }
int threads_held_up() { return 0; }

}  // namespace fake_driver
