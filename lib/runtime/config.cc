#include "runtime/config.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "runtime/config_parse.h"
#include "runtime/config_process.h"
#include "runtime/config_table.h"

namespace gapscope {
namespace {

constexpr std::string_view kPrefix = "GAPSCOPE_";

void complain(std::vector<std::string>* complaints, std::string line) {
  if (complaints != nullptr) complaints->push_back(std::move(line));
}

std::string unknown_name(std::string_view name) {
  // Names of any length can stand in an environment; no valid one is longer than this.
  constexpr std::size_t kMaxCompared = 64;
  std::vector<std::string_view> names;
  for (const ConfigOption& option : config_options()) {
    if (!option.internal) names.push_back(option.name.substr(kPrefix.size()));
  }
  const std::string_view near = config::nearest(name.substr(kPrefix.size(), kMaxCompared), names);
  return fmt::format("{} is not a variable of gapscope; {}", config::quote_for_message(name),
                     near.empty() ? std::string("'gapscope help env' lists them")
                                  : fmt::format("did you mean {}{}?", kPrefix, near));
}

std::string bad_value(const config::Row& row, std::string_view value) {
  return fmt::format("{}={} is not {}; using the default, {}", row.option.name,
                     config::quote_for_message(value), row.accepts, row.option.default_value);
}

std::uint64_t round_up_to_power_of_two(std::uint64_t n) {
  std::uint64_t power = 1;
  while (power < n) power <<= 1;
  return power;
}

// What no single row can see.
void reconcile(Config& config, std::vector<std::string>* complaints) {
  if (config.snapshot && config.snapshot_folder.empty()) {
    config.snapshot_folder = default_snapshot_folder();
  }
  config.ring_bytes = round_up_to_power_of_two(config.ring_bytes);
  if (config.buffer_limit_bytes / 2 < config.buffer_bytes) {
    config.buffer_limit_bytes = config.buffer_bytes * 2;
    complain(complaints,
             fmt::format("GAPSCOPE_BUFFER_LIMIT is less than two buffers of GAPSCOPE_BUFFER_SIZE; "
                         "using {}",
                         config::format_size(config.buffer_limit_bytes)));
  }
}

// "A-B" with A <= B.
bool parse_steps(std::string_view text, CaptureSpec& spec) {
  const std::vector<std::string_view> parts = absl::StrSplit(text, '-');
  if (parts.size() != 2) return false;
  const auto first = config::parse_number(parts[0]);
  const auto last = config::parse_number(parts[1]);
  if (!first || !last || *first > *last) return false;
  spec = {CaptureSpec::Mode::steps, *first, *last};
  return true;
}

// "X+Y" with Y > 0.
bool parse_time(std::string_view text, CaptureSpec& spec) {
  const std::vector<std::string_view> parts = absl::StrSplit(text, '+');
  if (parts.size() != 2) return false;
  const auto begin = config::parse_duration_ns(parts[0]);
  const auto length = config::parse_duration_ns(parts[1]);
  if (!begin || !length || *length == 0) return false;
  if (*begin > std::numeric_limits<std::uint64_t>::max() - *length) return false;
  spec = {CaptureSpec::Mode::time, *begin, *begin + *length};
  return true;
}

}  // namespace

std::string default_snapshot_folder() { return fmt::format("/dev/shm/gapscope.{}", geteuid()); }

std::string_view environment_value(const Environment& environment, std::string_view name) {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  return {};
}

Config load_config(const Environment& environment, std::vector<std::string>* complaints) {
  Config config;
  for (const config::Row& row : config::table()) {
    const std::string_view value = environment_value(environment, row.option.name);
    if (value.empty()) continue;
    if (!row.set(value, environment, config)) complain(complaints, bad_value(row, value));
  }
  for (const auto& [name, value] : environment) {
    if (!absl::StartsWith(name, kPrefix)) continue;
    const auto known = [&n = name](const ConfigOption& option) { return option.name == n; };
    const auto options = config_options();
    if (std::none_of(options.begin(), options.end(), known)) {
      complain(complaints, unknown_name(name));
    }
  }
  reconcile(config, complaints);
  config::read_process(environment, config);
  return config;
}

std::optional<CaptureSpec> parse_capture(std::string_view text) {
  CaptureSpec spec;
  if (text == "all") return spec;
  if (text == "range") {
    spec.mode = CaptureSpec::Mode::range;
    return spec;
  }
  bool good = false;
  if (absl::StartsWith(text, "steps:")) good = parse_steps(text.substr(6), spec);
  if (absl::StartsWith(text, "time:")) good = parse_time(text.substr(5), spec);
  return good ? std::optional(spec) : std::nullopt;
}

std::string_view capture_syntax() { return "all, range, steps:20-300 or time:60s+30s"; }

}  // namespace gapscope
