// Lines NAME=VALUE as an environment: any configuration that comes out is one that we can run with.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_split.h"
#include "fuzz_check.h"
#include "runtime/config.h"

using namespace gapscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Environment environment;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  std::vector<std::string> complaints;
  const Config config = load_config(environment, &complaints);
  for (const std::string& complaint : complaints) {
    fuzz::require(complaint.find('\n') == std::string::npos, "a complaint of two lines");
    fuzz::require(complaint.size() < 400, "an endless complaint");
  }
  const std::uint64_t ring = config.ring_bytes;
  fuzz::require(ring >= 16384 && (ring & (ring - 1)) == 0, "a ring size that is no power of two");
  fuzz::require(config.buffer_limit_bytes / 2 >= config.buffer_bytes, "no room for two buffers");
  fuzz::require(config.flush_ms > 0, "flushing without a pause");
  const CaptureSpec& capture = config.capture;
  fuzz::require(capture.first <= capture.last, "a capture that ends before it begins");
  fuzz::require(parse_capture(config.capture_text).has_value(), "a capture that was not parsed");
  return 0;
}
