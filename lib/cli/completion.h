// Scripts that let a shell complete gapscope's commands, options and their values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gapscope::cli {

// Both are made from the parser's own table, so they know what it knows.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace gapscope::cli
