// Bytes as records, past the checksums that keep a fuzzer out of a recording: any sequence of
// well-formed headers with any content, into analysis.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cli/replay_analysis.h"
#include "fuzz_check.h"

using namespace gapscope;

namespace {

// The next record in room, its size made possible; how many input bytes it took, 0 at the end.
std::size_t next_record(const std::uint8_t* data, std::size_t size, std::uint8_t* room) {
  if (size < sizeof(RecordHeader)) return 0;
  RecordHeader header;
  std::memcpy(&header, data, sizeof(header));
  const std::size_t wanted = std::clamp<std::size_t>(header.size_bytes, 8, 512) & ~std::size_t{7};
  const std::size_t taken = std::min(wanted, size);
  header.size_bytes = static_cast<std::uint16_t>(wanted);
  const auto kinds = static_cast<std::uint8_t>(RecordKind::count_) - 1;
  header.kind = static_cast<RecordKind>(1 + static_cast<std::uint8_t>(header.kind) % kinds);
  std::memset(room, 0, 512);
  std::memcpy(room, data, taken);
  std::memcpy(room, &header, sizeof(header));
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cli::ReplayAnalysis analysis(std::nullopt);
  alignas(8) std::uint8_t room[512];
  ReplayInfo info;
  while (const std::size_t taken = next_record(data, size, room)) {
    analysis.consume(*reinterpret_cast<const RecordHeader*>(room));
    data += taken;
    size -= taken;
    ++info.records;
  }
  info.complete = true;
  fuzz::check_report(analysis.finish(info));
  return 0;
}
