// Facts about the process, its devices and the records' quality, as the stream tells them.
//
// Bounded: kMaxWarnings warnings, kMaxDevices devices. Thread-safety: none, one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/operation.h"
#include "record/record.h"
#include "report/report.h"

namespace gapscope {

class Facts {
 public:
  static constexpr std::size_t kMaxWarnings = 50;

  void add(const MetaRecord& record, std::string_view text);
  void add(const DeviceInfoRecord& record, std::string_view name);
  void add(const ClockStepRecord& record);
  void add(const DataQualityRecord& record);
  void add(const LostRecord& record);
  void warn(std::string text);

  report::Process process() const;
  std::vector<std::string> warnings() const;
  std::string device_name(std::uint32_t device) const;
  std::string device_uuid(std::uint32_t device) const;
  // 0 if not known.
  std::uint32_t warps_per_sm(std::uint32_t device) const { return warps_per_sm_[device]; }
  bool truncated() const { return truncated_; }
  std::int64_t cpus() const { return process_.cpus; }
  std::int64_t dropped_ring() const { return std::max(marked_lost_, total_lost_); }
  std::int64_t dropped_cupti() const { return dropped_cupti_; }
  std::int64_t invalid() const { return invalid_; }
  std::int64_t clock_step_ns() const { return clock_step_ns_; }

 private:
  report::Process process_;
  std::vector<std::string> warnings_;
  std::array<std::optional<report::Gpu>, kMaxDevices> devices_;
  std::array<std::uint32_t, kMaxDevices> warps_per_sm_{};
  bool truncated_ = false;
  std::int64_t clock_steps_ = 0;
  std::int64_t clock_step_ns_ = 0;  // sum of magnitudes
  std::int64_t marked_lost_ = 0;
  std::int64_t total_lost_ = 0;
  std::int64_t dropped_cupti_ = 0;
  std::int64_t invalid_ = 0;
};

}  // namespace gapscope
