// The SONAME of a shared library's file.
#pragma once

#include <string>
#include <string_view>

#include "environment/file_view.h"

namespace gapscope::environment {

// "libcudnn.so.9"; empty when the file is no ELF file of this machine's class and byte order, has
// none, or is damaged. Reads a few kilobytes.
std::string elf_soname(const FileView& files, std::string_view path);

}  // namespace gapscope::environment
