// Strings and byte strings of the interpreter, read from outside and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/own_memory.h"
#include "host/python_process.h"

namespace gapscope {

// As UTF-8. nullopt unless it is a str of at most max_characters, stored in the compact form that
// all strings made by the compiler have.
std::optional<std::string> read_python_text(const OwnMemory& memory, const PythonProcess& process,
                                            std::uint64_t object, std::size_t max_characters);

// nullopt unless it is a bytes object of at most max_bytes.
std::optional<std::string> read_python_bytes(const OwnMemory& memory, const PythonProcess& process,
                                             std::uint64_t object, std::size_t max_bytes);

}  // namespace gapscope
