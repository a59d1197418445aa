#include "wall_clock.h"

namespace fake_driver {

bool step_wall_clock(std::int64_t) { return false; }

}  // namespace fake_driver
