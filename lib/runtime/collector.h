// The collector thread: the single consumer of every ring and the single owner of analysis.
//
// It drains the rings and the backend's completed buffers, turns inline names into interned ones,
// and hands every neutral record to analysis and, when one is asked for, to the recording: both
// see the same stream, tick records included, so the recording replays to the same report.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "host/host_sampler.h"
#include "record/recording.h"
#include "report/report.h"
#include "ring/ring_set.h"
#include "runtime/backend.h"
#include "runtime/clock.h"
#include "runtime/config.h"
#include "runtime/environment_thread.h"
#include "runtime/flusher.h"
#include "runtime/interner.h"
#include "runtime/report_request.h"
#include "runtime/wake.h"
#include "sink/trace_writer.h"

namespace gapscope {

class Collector {
 public:
  Collector(const Config& config, RingSet& rings, Backend& backend, Flusher& flusher, Wake& wake);
  ~Collector();

  // Before start(): facts about the process that open the stream; a recording to feed.
  void add_meta(MetaKey key, const std::string& text);
  void set_recording(std::unique_ptr<RecordingWriter> recording);
  void set_trace(std::unique_ptr<sink::TraceWriter> trace);

  bool start();

  // --- any thread ---
  // Calls announced and not yet seen on the device, as of the last drain that began after the
  // call of request_drain() with this ticket.
  std::uint64_t request_drain() noexcept;
  // The session stops recording calls at that time: what is launched from then on does not count.
  void end_at(std::uint64_t time_ns) noexcept {
    ending_ns_.store(time_ns, std::memory_order_release);
  }
  bool drained(std::uint64_t ticket) const noexcept;
  // It ran out of memory: nothing will be drained any more.
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  std::size_t outstanding() const noexcept { return outstanding_.load(std::memory_order_acquire); }
  // See ReportRequest::take().
  std::unique_ptr<report::Report> take_report(std::uint64_t timeout_ns) noexcept {
    return request_.take(timeout_ns);
  }
  // Whether a record of the program has come: false as long as it does not use the GPU.
  bool arrived() const noexcept { return arrived_.load(std::memory_order_acquire); }
  // Whether no record of the program has come for a second. The end of a pause is told, so whoever
  // sees one may sleep until then.
  bool paused() const noexcept { return paused_.load(std::memory_order_acquire); }
  // Wakes a thread when arrived() becomes true, and whenever paused() becomes false.
  // Before start(); wake outlives this object.
  void tell_arrivals(Wake* wake) noexcept { told_ = wake; }
  // Records in the stream so far, ticks included: while it stays, the report stays as it is.
  std::uint64_t consumed() const noexcept { return consumed_.load(std::memory_order_acquire); }

  // Ends the thread: a last drain, the final tick, and the report is whole. False: it did not end
  // within timeout_ns and this object must not be destroyed.
  bool finish(std::int32_t exit_status, bool exit_known, std::uint64_t timeout_ns) noexcept;
  void forget_after_fork() noexcept;
  const report::Report& final_report() const { return final_report_; }

 private:
  class Tap;

  static void* thread_main(void* self);
  bool runs_to_its_end() noexcept;
  void run();
  bool drain();
  void drain_ring(ThreadRing& thread);
  void consume_from_ring(const RecordHeader& record);
  void announce_thread(const ThreadRing& thread);
  void check_clock();
  void tick(TickKind kind, std::uint64_t now, std::uint64_t floor, std::uint64_t flushed);
  void tell_losses(bool at_the_end);
  void tell_lost_samples();
  void finalise();
  void close_files();
  report::Report make_report() const;

  const Config& config_;
  RingSet& rings_;
  Backend& backend_;
  Flusher& flusher_;
  Wake& wake_;
  ReportRequest request_;
  std::unique_ptr<RecordingWriter> recording_;
  std::unique_ptr<sink::TraceWriter> trace_;  // outlives analysis_, which tells it of gaps
  std::unique_ptr<Tap> tap_;
  std::unique_ptr<Analysis> analysis_;
  Interner interner_;
  ClockWatch clock_watch_;
  std::unique_ptr<HostSampler> host_;  // null: GAPSCOPE_HOST=0
  std::vector<bool> announced_threads_;
  std::vector<std::pair<MetaKey, std::string>> metas_;
  std::uint64_t last_flushed_ns_ = 0;
  std::uint64_t told_lost_ = 0;
  std::uint64_t last_work_ns_ = 0;  // monotonic
  EnvironmentThread environment_;
  bool domain_checked_ = false;
  bool draining_ = false;
  report::Report final_report_;
  std::string exit_status_;

  pthread_t thread_{};
  std::uint64_t started_ns_ = 0;  // CLOCK_REALTIME
  bool started_ = false;
  std::atomic<std::uint64_t> ending_ns_{0};
  std::atomic<std::uint64_t> drain_requested_{0};
  std::atomic<std::uint64_t> drain_done_{0};
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::atomic<bool> failed_{false};  // the thread has ended without a report
  std::atomic<std::uint64_t> cpu_ns_{0};
  std::atomic<bool> arrived_{false};
  std::atomic<bool> paused_{false};
  std::atomic<std::uint64_t> consumed_{0};
  Wake* told_ = nullptr;  // of arrivals
};

}  // namespace gapscope
