#include "cli/replay_analysis.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/config.h"

namespace gapscope::cli {
namespace {

// Far more than a run has facts; beyond it the rest goes to analysis as it comes.
constexpr std::size_t kMaxHeldBytes = 256u << 10;

}  // namespace

ReplayAnalysis::ReplayAnalysis(std::optional<CaptureSpec> capture, sink::TraceWriter* trace)
    : trace_(trace), capture_given_(capture.has_value()), last_tick_(make_record<TickRecord>()) {
  if (capture) options_.capture = *capture;
  options_.gap_observer = trace;
}

void ReplayAnalysis::consume(const RecordHeader& record) {
  if (trace_ != nullptr) trace_->consume(record);
  if (record.kind == RecordKind::tick) {
    last_tick_ = record_cast<TickRecord>(record);
    final_seen_ = final_seen_ || last_tick_.tick == TickKind::final_;
  }
  const std::size_t words = record.size_bytes / sizeof(std::uint64_t);
  if (analysis_ == nullptr && record.kind == RecordKind::meta &&
      (held_.size() + words) * sizeof(std::uint64_t) <= kMaxHeldBytes) {
    const std::size_t at = held_.size();
    held_.resize(at + words);
    std::memcpy(&held_[at], &record, record.size_bytes);
    return;
  }
  if (analysis_ == nullptr) begin();
  analysis_->consume(record);
}

void ReplayAnalysis::begin() {
  const auto for_each_held = [this](auto&& f) {
    std::size_t at = 0;
    while (at < held_.size()) {
      const auto& record = *reinterpret_cast<const RecordHeader*>(&held_[at]);
      f(record);
      at += record.size_bytes / sizeof(std::uint64_t);
    }
  };
  for_each_held([this](const RecordHeader& record) {
    const MetaKey key = record_cast<MetaRecord>(record).key;
    if (key == MetaKey::step_range) options_.step_range = trailing_text<MetaRecord>(record);
    if (capture_given_ || key != MetaKey::capture) return;
    if (const auto spec = parse_capture(trailing_text<MetaRecord>(record)))
      options_.capture = *spec;
  });
  analysis_ = std::make_unique<Analysis>(options_);
  for_each_held([this](const RecordHeader& record) { analysis_->consume(record); });
  held_ = {};
}

void ReplayAnalysis::close_early() {
  TickRecord tick = last_tick_;
  tick.header = make_record<TickRecord>().header;
  for (const TickKind kind : {TickKind::draining, TickKind::final_}) {
    tick.tick = kind;
    analysis_->consume(tick.header);
  }
}

report::Report ReplayAnalysis::finish(const ReplayInfo& info) {
  if (analysis_ == nullptr) begin();
  if (!final_seen_) close_early();
  report::Report report = analysis_->report();
  if (const std::string missing = shortfall(info); !missing.empty()) {
    report.truncated = true;
    report.warnings.push_back(missing);
  } else if (!final_seen_) {
    report.truncated = true;
    report.warnings.push_back("the recording does not hold the run's end");
  }
  return report;
}

std::string shortfall(const ReplayInfo& info) {
  if (!info.complete) {
    return absl::StrCat("the recording was cut off: the figures are of its first ", info.records,
                        " records");
  }
  if (info.stopped_at_limit) {
    return absl::StrCat("the recording had reached its size limit: the figures are of its first ",
                        info.records, " records");
  }
  if (info.write_failed) {
    return absl::StrCat(
        "the recording could not be written to its end: the figures are of its first ",
        info.records, " records");
  }
  if (info.unknown > 0) {
    return absl::StrCat(info.unknown,
                        " records of kinds that this version does not know were left out");
  }
  return {};
}

}  // namespace gapscope::cli
