// From the stream of neutral records to a report. Single-threaded, streaming, bounded.
//
// Thread-safety: none; the collector thread (or a replay) owns it. Memory grows with distinct
// kernel names, threads, streams and ranges, each capped, never with the number of records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "record/record.h"
#include "report/report.h"

namespace gapscope {

// What part of the run is counted (GAPSCOPE_CAPTURE).
struct CaptureSpec {
  enum class Mode : std::uint8_t { all, range, steps, time };
  Mode mode = Mode::all;
  std::uint64_t first =
      0;                   // steps: first step counted (from 0); time: ns after the first operation
  std::uint64_t last = 0;  // steps: last step counted; time: end in ns after the first operation
};

class GapObserver;

struct AnalysisOptions {
  CaptureSpec capture;
  std::string step_range = "ProfilerStep#";  // ranges that are steps: see StepRange
  std::size_t max_kernel_names = 20000;      // per device; further names share the bucket "(other)"
  std::size_t max_pending = 1u << 20;        // operations and calls held back for order and joins
  GapObserver* gap_observer = nullptr;       // is told of every gap; outlives the analysis
};

class Analysis final : public RecordSink {
 public:
  explicit Analysis(const AnalysisOptions& options);
  ~Analysis() override;

  // Takes any record, in any order that the producers can cause; malformed ones are counted and
  // ignored, never trusted.
  void consume(const RecordHeader& record) override;

  // The result as of the last tick. May be called at any time and repeatedly; after a final tick
  // it is the run's report. Report::self is left empty.
  report::Report report() const;

  // Device operations announced by a call and not yet seen: what a flush at exit waits for.
  std::size_t outstanding() const;

  // Entries in all the tables that the number of records could make grow: for tests of the bounds.
  std::size_t table_entries() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gapscope
