#include "report/calibration.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gapscope::report {
namespace {

constexpr const char* kFormat = "gapscope calibration 1";
constexpr double kMostNs = 1e6;  // nothing adds a millisecond to one operation

// Recorded: not captured into a graph, not failed.
std::int64_t recorded(const Report& report, const char* category) {
  std::int64_t calls = 0;
  for (const HostCall& call : report.whole.host_calls) {
    if (call.category == category) calls += call.time.count - call.captured - call.failed;
  }
  return std::max<std::int64_t>(calls, 0);
}

bool believable(double ns) { return std::isfinite(ns) && ns >= 0 && ns <= kMostNs; }

}  // namespace

std::string to_json(const Calibration& c) {
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"gpu", c.gpu},
                                       {"driver", c.driver},
                                       {"launch_ns", c.launch_ns},
                                       {"graph_node_ns", c.graph_node_ns},
                                       {"copy_ns", c.copy_ns}};
  return json.dump(2) + "\n";
}

absl::StatusOr<Calibration> read_calibration(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno != 0 ? errno : EIO, path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto bad = [&] {
    return absl::InvalidArgumentError(absl::StrCat(path, ": no calibration"));
  };
  if (!json.is_object()) return bad();
  Calibration c;
  try {
    if (json.at("format").get<std::string>() != kFormat) return bad();
    c.gpu = json.at("gpu").get<std::string>();
    c.driver = json.at("driver").get<std::string>();
    c.launch_ns = json.at("launch_ns").get<double>();
    c.graph_node_ns = json.at("graph_node_ns").get<double>();
    c.copy_ns = json.at("copy_ns").get<double>();
  } catch (const nlohmann::json::exception&) {
    return bad();
  }
  if (!believable(c.launch_ns) || !believable(c.graph_node_ns) || !believable(c.copy_ns))
    return bad();
  return c;
}

std::int64_t cupti_share_ns(const Report& report, const Calibration& c) {
  const auto& devices = report.whole.devices;
  const bool here = std::any_of(devices.begin(), devices.end(),
                                [&](const Device& device) { return device.name == c.gpu; });
  if (!here || c.driver != report.process.driver_version) return 0;
  const std::int64_t launches = recorded(report, "launch");
  const std::int64_t copies = recorded(report, "copy") + recorded(report, "set");
  // Without a call of their own: nodes of graphs.
  const std::int64_t nodes = std::max<std::int64_t>(report.records.seen - launches - copies, 0);
  return std::llround(static_cast<double>(launches) * c.launch_ns +
                      static_cast<double>(copies) * c.copy_ns +
                      static_cast<double>(nodes) * c.graph_node_ns);
}

}  // namespace gapscope::report
