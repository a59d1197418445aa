// Whether the program itself starts the library, before CUDA starts.
#pragma once

namespace fake_driver {

// False if the program links the library and it would not start.
bool start_library();

}  // namespace fake_driver
