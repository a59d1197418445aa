// Text as a JSON report: refused, or read, shown, and written to the same text again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz_check.h"
#include "report/report_json.h"
#include "sink/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gapscope;
  const auto report = report::from_json(std::string(reinterpret_cast<const char*>(data), size));
  if (!report.ok()) return 0;
  const std::string once = report::to_json(*report);
  const auto again = report::from_json(once);
  fuzz::require(again.ok(), "a written report cannot be read");
  fuzz::require(report::to_json(*again) == once, "a report changes when it is written and read");
  fuzz::require(!sink::to_text(*report, {}).empty(), "an empty page");
  return 0;
}
