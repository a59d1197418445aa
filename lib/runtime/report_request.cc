#include "runtime/report_request.h"

#include <time.h>

#include "runtime/clock.h"

namespace gapscope {
namespace {

void pause_a_little() {
  const timespec pause{0, 500'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

std::unique_ptr<report::Report> ReportRequest::take(std::uint64_t timeout_ns) noexcept {
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (busy_.test_and_set(std::memory_order_acquire)) {
    if (monotonic_ns() > deadline) return nullptr;
    pause_a_little();
  }
  std::unique_ptr<report::Report> report = ask(deadline);
  busy_.clear(std::memory_order_release);
  return report;
}

std::unique_ptr<report::Report> ReportRequest::ask(std::uint64_t deadline_ns) noexcept {
  const auto wait_while = [&](auto waits) {
    while (waits(state_.load(std::memory_order_acquire))) {
      if (monotonic_ns() > deadline_ns) return false;
      pause_a_little();
    }
    return true;
  };
  // One that an earlier caller did not wait for may still be in the making: it is thrown away.
  if (!wait_while([](State state) { return state == kMaking; })) return nullptr;
  state_.store(kAsked, std::memory_order_release);
  collector_.wake();
  if (wait_while([](State state) { return state != kReady; })) {
    state_.store(kNone, std::memory_order_relaxed);
    return std::move(report_);
  }
  State expected = kAsked;
  state_.compare_exchange_strong(expected, kNone, std::memory_order_acq_rel);
  return nullptr;
}

void ReportRequest::serve(const std::function<report::Report()>& make) noexcept {
  State expected = kAsked;
  if (!state_.compare_exchange_strong(expected, kMaking, std::memory_order_acq_rel)) return;
  try {
    report_ = std::make_unique<report::Report>(make());
  } catch (...) {
    report_.reset();  // no memory now: there may be later
  }
  state_.store(kReady, std::memory_order_release);
}

}  // namespace gapscope
