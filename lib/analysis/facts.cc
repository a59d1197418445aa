#include "analysis/facts.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "report/environment_lines.h"

namespace gapscope {
namespace {

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  return absl::SimpleAtoi(text, &value) ? std::clamp<std::int64_t>(value, 0, kMaxTimeNs) : 0;
}

constexpr std::uint32_t kWarpThreads = 32;

// Sums of what a recording claims must not overflow.
void add_up(std::int64_t& sum, std::uint64_t count) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  sum = std::min(
      kMost, sum + static_cast<std::int64_t>(std::min(count, static_cast<std::uint64_t>(kMost))));
}

std::string uuid_text(const std::uint8_t (&uuid)[16]) {
  if (std::all_of(uuid, uuid + 16, [](std::uint8_t b) { return b == 0; })) return {};
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

}  // namespace

void Facts::warn(std::string text) {
  if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end()) return;
  if (warnings_.size() < kMaxWarnings) warnings_.push_back(std::move(text));
}

void Facts::add(const MetaRecord& record, std::string_view text) {
  switch (record.key) {
    case MetaKey::command:
      process_.command = text;
      break;
    case MetaKey::pid:
      process_.pid = number(text);
      break;
    case MetaKey::rank:
      process_.rank = text;
      break;
    case MetaKey::hostname:
      process_.hostname = text;
      break;
    case MetaKey::version:
      process_.version = text;
      break;
    case MetaKey::cupti_path:
      process_.cupti_path = text;
      break;
    case MetaKey::cupti_version:
      process_.cupti_version = text;
      break;
    case MetaKey::driver_version:
      process_.driver_version = text;
      break;
    case MetaKey::start_ns:
      process_.start_ns = number(text);
      break;
    case MetaKey::end_ns:
      process_.end_ns = number(text);
      break;
    case MetaKey::exit_status:
      process_.exit_status = text;
      break;
    case MetaKey::warning:
      warn(std::string(text));
      break;
    case MetaKey::graphs:
      process_.graphs = text;
      break;
    case MetaKey::nvtx:
      process_.nvtx = text;
      break;
    case MetaKey::python:
      process_.python = text;
      break;
    case MetaKey::truncated:
      truncated_ = true;
      warn(std::string(text));
      break;
    case MetaKey::cpus:
      process_.cpus = number(text);
      break;
    case MetaKey::environment:
      report::add_environment_line(text, process_.environment);
      break;
    case MetaKey::capture:
      process_.capture = text;
      break;
    default:
      break;
  }
}

void Facts::add(const DeviceInfoRecord& record, std::string_view name) {
  if (record.device >= kMaxDevices) return;
  report::Gpu& gpu = devices_[record.device].emplace();
  gpu.device = record.device;
  gpu.name = name;
  gpu.uuid = uuid_text(record.uuid);
  if (record.compute_capability > 0 && record.compute_capability < 10000) {
    gpu.compute_capability =
        fmt::format("{}.{}", record.compute_capability / 10, record.compute_capability % 10);
  }
  gpu.multiprocessors = record.sm_count;
  warps_per_sm_[record.device] = record.max_threads_per_sm / kWarpThreads;
  gpu.memory_bytes = record.memory_bytes;
  gpu.memory_bandwidth_bytes_per_s = record.memory_bandwidth_bytes_per_s;
}

report::Process Facts::process() const {
  report::Process process = process_;
  // The stream's lines tell of every GPU of the machine, by its uuid.
  const std::vector<report::Gpu> states = std::move(process.environment.gpus);
  process.environment.gpus.clear();
  for (const auto& device : devices_) {
    if (!device) continue;
    report::Gpu& gpu = process.environment.gpus.emplace_back(*device);
    const auto state = std::find_if(states.begin(), states.end(), [&](const report::Gpu& s) {
      return !s.uuid.empty() && s.uuid == gpu.uuid;
    });
    if (state != states.end()) gpu.nvml = state->nvml;
  }
  return process;
}

void Facts::add(const ClockStepRecord& record) {
  ++clock_steps_;
  const std::uint64_t magnitude = record.step_ns < 0
                                      ? 0 - static_cast<std::uint64_t>(record.step_ns)
                                      : static_cast<std::uint64_t>(record.step_ns);
  add_up(clock_step_ns_, magnitude);
}

void Facts::add(const DataQualityRecord& record) {
  add_up(dropped_cupti_, record.dropped_cupti);
  add_up(dropped_cupti_, record.dropped_buffers);
  add_up(invalid_, record.invalid_timestamps);
}

// Totals hold what was marked on the way, and perhaps what will be marked only later.
void Facts::add(const LostRecord& record) {
  if ((record.header.flags & kLostTotal) == 0) return add_up(marked_lost_, record.count);
  std::int64_t count = 0;
  add_up(count, record.count);
  total_lost_ = std::max(total_lost_, count);
}

std::vector<std::string> Facts::warnings() const {
  std::vector<std::string> warnings = warnings_;
  if (clock_steps_ > 0) {
    warnings.push_back(fmt::format(
        "the system clock was stepped {} time{} ({:.3f} ms in all): intervals across a step are "
        "off "
        "by as much",
        clock_steps_, clock_steps_ == 1 ? "" : "s", static_cast<double>(clock_step_ns_) / 1e6));
  }
  return warnings;
}

std::string Facts::device_name(std::uint32_t device) const {
  return devices_[device] ? devices_[device]->name : std::string();
}

std::string Facts::device_uuid(std::uint32_t device) const {
  return devices_[device] ? devices_[device]->uuid : std::string();
}

}  // namespace gapscope
