// Names of the system calls in which threads wait.
#pragma once

#include <string_view>

namespace gapscope {

// "" for numbers that are not in the table: a thread seldom waits in those.
std::string_view system_call_name(long number);

// Whether its first argument is a file descriptor whose kind says what is waited for.
bool takes_file_descriptor(std::string_view system_call);

}  // namespace gapscope
