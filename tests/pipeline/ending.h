// The ways in which a program ends.
#pragma once

#include <string>

namespace fake_driver {

// Does not return, but for "return".
void end_process(const std::string& how, int exit_code);

}  // namespace fake_driver
