// Kernel names short enough for a column and still telling kernels apart.
#pragma once

#include <string>
#include <vector>

namespace gapscope::sink {

// One label for each printable name, at most width columns wide. Leading namespaces and endings
// that say nothing go first, then the middle. Where names of a column would come out alike, the
// place where they begin to differ is kept instead of the end.
std::vector<std::string> kernel_labels(const std::vector<std::string>& names, std::size_t width,
                                       bool utf8);

}  // namespace gapscope::sink
