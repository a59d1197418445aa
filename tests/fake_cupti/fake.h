// The fake's whole state, one a process. Never destroyed: threads may still call at exit.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "buffer_queue.h"
#include "fake_cupti_control.h"
#include "layout.h"
#include "log.h"
#include "options.h"
#include "subscriber.h"
#include "timeline.h"

namespace fake_cupti {

class Fake {
 public:
  static Fake& get();
  static bool exists();

  // At the head of every CUPTI function: writes down what is against the rules. False: CUPTI is
  // gone, the call has to fail.
  bool enter(const char* function);
  CUptiResult enable_kind(CUpti_ActivityKind kind);
  CUptiResult flush(std::uint32_t flags);
  // Withdrawing is allowed while starting up fails, and never once the program has called.
  bool in_use() const { return next_correlation_.load() != options.first_correlation; }
  std::uint64_t timestamp() const;
  void summary();
  // cuInit has returned.
  void cuda_is_up();

  // Simulation (simulate.cc).
  void call(const fake_call_spec& spec, fake_call_result* result);
  void device_launch(const fake_call_spec& spec, fake_times* times);
  void overhead(std::uint32_t kind, std::uint64_t start_ns, std::uint64_t end_ns);
  std::uint32_t release_late();
  void fatal_error(const char* message);
  void wait_until(std::uint64_t wall_end_ns) const;

  const Options options;
  const Layout layout;
  Log log;
  Subscriber subscriber{layout, log};
  BufferQueue buffers{options, layout, log};
  Timeline timeline;

 private:
  struct Call;  // one call in progress
  explicit Fake(const Options& from_environment);

  bool kind_enabled(CUpti_ActivityKind kind) const;
  void run_work(Call& call);
  void run_graph(Call& call);
  void run_sync(Call& call);
  void queue(Record record, const Span& span, std::uint8_t& fate);
  std::uint8_t scripted_fate(std::uint8_t wanted);

  const std::int64_t owner_;  // pid
  std::atomic<bool> cuda_up_{false};
  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds_{};
  std::atomic<std::uint32_t> next_correlation_;
  std::atomic<std::uint64_t> next_node_{1};
  std::atomic<std::uint64_t> record_number_{0};
  std::atomic<std::uint64_t> flushes_{0};
  std::atomic<std::uint64_t> forced_{0};
  std::atomic<std::uint64_t> fatal_ns_{0};  // CLOCK_MONOTONIC of the fatal error; 0: none
  std::mutex late_mutex_;
  std::vector<Record> late_;
};

}  // namespace fake_cupti
