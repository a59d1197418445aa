// A recording's records into analysis, with the options of the live run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "record/recording.h"
#include "sink/trace_writer.h"

namespace gapscope::cli {

// The facts about a run stand at the recording's front; they are held back until the first other
// record, by when it is known what the live run counted (MetaKey::capture). Not thread-safe.
class ReplayAnalysis final : public RecordSink {
 public:
  // capture: what is to be counted instead of what the recording says. trace: gets every record,
  // and every gap; may be null; outlives this.
  explicit ReplayAnalysis(std::optional<CaptureSpec> capture, sink::TraceWriter* trace = nullptr);

  void consume(const RecordHeader& record) override;

  // The report, once all has been fed. info: how the reading went; where the recording does not
  // hold the run's end, what is pending is closed at its last tick and the report says so.
  report::Report finish(const ReplayInfo& info);

 private:
  void begin();
  void close_early();

  sink::TraceWriter* const trace_;
  AnalysisOptions options_;
  const bool capture_given_;
  std::vector<std::uint64_t> held_;  // records back to back, as words: they stay aligned
  std::unique_ptr<Analysis> analysis_;
  TickRecord last_tick_;
  bool final_seen_ = false;
};

// One line that says what is missing from a recording; "" when nothing is.
std::string shortfall(const ReplayInfo& info);

}  // namespace gapscope::cli
