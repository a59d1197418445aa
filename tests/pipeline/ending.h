// The ways in which a program ends.
#pragma once

#include <string>

namespace fake_driver {

// From now on SIGTERM ends the program with exit(17).
void handle_sigterm();

// Does not return, but for "return".
void end_process(const std::string& how, int exit_code);

}  // namespace fake_driver
