#include "sink/trace_words.h"

#include <algorithm>

#include "fmt/format.h"

namespace gapscope::sink {
namespace {

std::string_view memory_word(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return "Pageable";
    case MemoryKind::pinned:
      return "Pinned";
    case MemoryKind::device:
      return "Device";
    case MemoryKind::array:
      return "Array";
    case MemoryKind::managed:
      return "Managed";
    default:
      return "Unknown";
  }
}

std::string_view direction_word(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::htod:
      return "HtoD";
    case CopyDirection::dtoh:
      return "DtoH";
    case CopyDirection::dtod:
      return "DtoD";
    case CopyDirection::htoh:
      return "HtoH";
    case CopyDirection::ptop:
      return "PtoP";
    default:
      return "Unknown";
  }
}

}  // namespace

std::string copy_name(const CopyRecord& record) {
  return fmt::format("\"Memcpy {} ({} -> {})\"", direction_word(record.direction),
                     memory_word(record.source), memory_word(record.destination));
}

std::string set_name(const SetRecord& record) {
  return fmt::format("\"Memset ({})\"", memory_word(record.memory));
}

std::string transfer_args(std::uint64_t bytes, std::uint64_t start_ns, std::uint64_t end_ns) {
  std::string args = fmt::format(R"(,"bytes":{})", bytes);
  if (end_ns > start_ns) {
    args += fmt::format(R"x(,"memory bandwidth (GB/s)":{:.6g})x",
                        static_cast<double>(bytes) / static_cast<double>(end_ns - start_ns));
  }
  return args;
}

std::vector<std::pair<std::string_view, std::int64_t>> cause_sums(const CauseSlices& slices) {
  std::vector<std::pair<std::string_view, std::int64_t>> sums;
  for (const CauseSlice& slice : slices) {
    const std::string_view name = cause_name(slice.cause);
    const auto known =
        std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == name; });
    if (known == sums.end()) {
      sums.emplace_back(name, slice.ns);
    } else {
      known->second += slice.ns;
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sums;
}

}  // namespace gapscope::sink
