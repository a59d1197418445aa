// Summaries as CSV with the columns of `nsys stats --format csv`, for the scripts that parse those:
// cuda_gpu_kern_sum, cuda_gpu_mem_time_sum and cuda_api_sum.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/report.h"

namespace gapscope::sink {

enum class CsvTable { kernels, copies, api };

// "kernels", "copies" or "api"; nothing for other words.
std::optional<CsvTable> csv_table(std::string_view word);

// A header and one line for each name, largest total first. Times are of the whole run and summed
// over streams and devices; "Time (%)" is of the column's sum. Entries of the same name (one a
// device, or one a kind of memory) are one line: then the median is that of the entry in the middle
// of all executions, everything else is exact. Ends with a newline.
std::string to_csv(const report::Report& report, CsvTable table);

}  // namespace gapscope::sink
