#include "start.h"

namespace fake_driver {

bool start_library() { return true; }

}  // namespace fake_driver
