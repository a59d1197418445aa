// A file as it is, through the recording's reader into analysis: what `gapscope replay` does.
#include <cstddef>
#include <cstdint>

#include "cli/replay_analysis.h"
#include "fuzz_check.h"
#include "record/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gapscope::cli::ReplayAnalysis analysis(std::nullopt);
  const auto info = gapscope::replay_recording(data, size, analysis);
  if (!info.ok()) {
    gapscope::fuzz::require(!info.status().message().empty(), "an error without a message");
    return 0;
  }
  gapscope::fuzz::check_report(analysis.finish(*info));
  return 0;
}
