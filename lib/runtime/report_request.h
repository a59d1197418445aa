// How another thread gets a report from the collector, which alone may look into analysis.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "report/report.h"
#include "runtime/wake.h"

namespace gapscope {

class ReportRequest {
 public:
  explicit ReportRequest(Wake& collector) : collector_(collector) {}

  // Any thread but the collector: the report so far. Null when it did not come within timeout_ns or
  // there was no memory for it. Callers wait for each other, within the same time.
  std::unique_ptr<report::Report> take(std::uint64_t timeout_ns) noexcept;

  // The collector, now and then: makes a report if one is asked for.
  void serve(const std::function<report::Report()>& make) noexcept;

 private:
  // none -> asked (by the caller) -> making -> ready (by the collector) -> none.
  enum State : int { kNone, kAsked, kMaking, kReady };

  std::unique_ptr<report::Report> ask(std::uint64_t deadline_ns) noexcept;

  Wake& collector_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // held by the one caller of ask()
  std::atomic<State> state_{kNone};
  std::unique_ptr<report::Report> report_;  // the collector's until it is ready
};

}  // namespace gapscope
