// Names and arguments of a trace's events, in the words of PyTorch's profiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cause_slice.h"
#include "record/record.h"

namespace gapscope::sink {

// As JSON strings: "Memcpy HtoD (Pinned -> Device)", "Memset (Device)".
std::string copy_name(const CopyRecord& record);
std::string set_name(const SetRecord& record);

// ,"bytes":...,"memory bandwidth (GB/s)":...
std::string transfer_args(std::uint64_t bytes, std::uint64_t start_ns, std::uint64_t end_ns);

// Each cause once with its time, largest first.
std::vector<std::pair<std::string_view, std::int64_t>> cause_sums(const CauseSlices& slices);

}  // namespace gapscope::sink
