#include "runtime/collector.h"
#include "report/calibration.h"

#include <fmt/format.h>

#include <cstdio>

#include "analysis/ranges_name.h"
#include "runtime/files.h"
#include "runtime/ready_to_throw.h"
#include "runtime/thread.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kNapNs = 10'000'000;           // between drains while records flow
constexpr std::uint64_t kIdleAfterNs = 1'000'000'000;  // without records: sleep until woken
constexpr std::size_t kMaxStrings = 200'000;
constexpr std::uint64_t kHostStopNs = 200'000'000;
constexpr std::uint64_t kEnvironmentNs = 500'000'000;
// NVML's first look takes some 10 ms a GPU.
constexpr std::uint64_t kGpuStateNs = 300'000'000;
constexpr std::int64_t kDomainToleranceNs = 50'000'000;

// False when the time is over or it cannot come any more.
bool wait_until(const std::atomic<bool>& flag, const std::atomic<bool>& never,
                std::uint64_t timeout_ns) {
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (!flag.load(std::memory_order_acquire)) {
    if (never.load(std::memory_order_acquire) || monotonic_ns() > deadline) return false;
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace

// The one place where the stream forks: the recording is written before analysis sees the record.
class Collector::Tap final : public RecordSink {
 public:
  Tap(Analysis& analysis, RecordingWriter* recording, sink::TraceWriter* trace)
      : analysis_(analysis), recording_(recording), trace_(trace) {}
  void consume(const RecordHeader& record) override {
    if (recording_ != nullptr) recording_->consume(record);
    if (trace_ != nullptr) trace_->consume(record);
    analysis_.consume(record);
    ++records_;
  }
  std::uint64_t records() const { return records_; }

 private:
  Analysis& analysis_;
  RecordingWriter* recording_;
  sink::TraceWriter* trace_;
  std::uint64_t records_ = 0;
};

Collector::Collector(const Config& config, RingSet& rings, Backend& backend, Flusher& flusher,
                     Wake& wake)
    : config_(config),
      rings_(rings),
      backend_(backend),
      flusher_(flusher),
      wake_(wake),
      request_(wake),
      interner_(kMaxStrings, config.anonymous) {
  if (!config.host) return;
  HostOptions host;
  host.start_thread = &start_thread;
  host_ = std::make_unique<HostSampler>(host);
}

Collector::~Collector() = default;

void Collector::add_meta(MetaKey key, const std::string& text) { metas_.emplace_back(key, text); }

void Collector::set_recording(std::unique_ptr<RecordingWriter> recording) {
  recording_ = std::move(recording);
}

void Collector::set_trace(std::unique_ptr<sink::TraceWriter> trace) { trace_ = std::move(trace); }

bool Collector::start() {
  started_ns_ = now_ns();
  AnalysisOptions options;
  options.capture = config_.capture;
  options.step_range = config_.step_range;
  options.gap_observer = trace_.get();
  analysis_ = std::make_unique<Analysis>(options);
  tap_ = std::make_unique<Tap>(*analysis_, recording_.get(), trace_.get());
  if (host_ && !host_->start()) host_.reset();
  started_ = start_thread(&thread_, &Collector::thread_main, this, "gapscope-coll");
  return started_;
}

void* Collector::thread_main(void* self) {
  auto* collector = static_cast<Collector*>(self);
  if (!ready_to_throw() || !collector->runs_to_its_end()) {
    // Out of memory, most likely. The program goes on, and its end waits for nothing.
    collector->backend_.stop_recording();
    complain("off: the collector ran out of memory; there will be no report");
    HostSampler* const host = collector->host_.get();
    if (host != nullptr && !host->stop(kHostStopNs)) (void)collector->host_.release();
    collector->failed_.store(true, std::memory_order_release);
  }
  return nullptr;
}

bool Collector::runs_to_its_end() noexcept {
  try {
    run();
    return true;
  } catch (...) {
    return false;
  }
}

void Collector::run() {
  for (const auto& [key, text] : metas_) emit_meta(key, text, *tap_);
  backend_.describe(*tap_, interner_);
  last_work_ns_ = monotonic_ns();
  while (!stop_.load(std::memory_order_acquire)) {
    const std::uint64_t ticket = drain_requested_.load(std::memory_order_acquire);
    if (const std::uint64_t ending = ending_ns_.load(std::memory_order_acquire);
        ending != 0 && !draining_) {
      draining_ = true;
      tick(TickKind::draining, ending, 0, 0);
    }
    if (drain()) {
      last_work_ns_ = monotonic_ns();
      const bool first = !arrived_.exchange(true, std::memory_order_acq_rel);
      const bool again = paused_.exchange(false, std::memory_order_acq_rel);
      if (told_ != nullptr && (first || again)) told_->wake();
    }
    consumed_.store(tap_->records(), std::memory_order_release);
    outstanding_.store(analysis_->outstanding(), std::memory_order_release);
    drain_done_.store(ticket, std::memory_order_release);
    request_.serve([this] { return make_report(); });
    cpu_ns_.store(clock_ns(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
    const bool idle = monotonic_ns() - last_work_ns_ > kIdleAfterNs;
    if (idle) paused_.store(true, std::memory_order_release);
    // While something is outstanding (a kernel of minutes, say) flushing goes on at its period.
    flusher_.set_active(!idle || analysis_->outstanding() > 0);
    if (host_) host_->set_active(!idle);
    if (drain_requested_.load(std::memory_order_acquire) != ticket) continue;
    wake_.sleep(idle ? Wake::kForever : kNapNs, idle);
  }
  finalise();
  ended_.store(true, std::memory_order_release);
}

// One pass over everything. The order matters for the watermark: the floor is read before the
// rings and the end of the last flush before the buffers, so both are lower bounds.
bool Collector::drain() {
  const std::uint64_t begin = now_ns();
  const std::uint64_t flushed = flusher_.flushed_ns();
  const std::uint64_t in_progress = rings_.oldest_call_in_progress_ns();
  const std::uint64_t sampled = host_ ? host_->sampled_until_ns() : ~std::uint64_t{0};
  const std::uint64_t before = tap_->records();
  rings_.for_each([this](ThreadRing& thread) { drain_ring(thread); });
  backend_.collect(*tap_, interner_);
  const bool from_program = tap_->records() != before;
  if (host_) {
    host_->drain(*tap_, [this](std::string_view text) { return interner_.intern(text, *tap_); });
  }
  check_clock();
  const bool worked = tap_->records() != before;
  const bool flushed_since = flushed != last_flushed_ns_;
  if (worked || flushed_since) {
    // A thread may have read the clock for its entry and not published it yet: one more
    // millisecond of doubt. What is later still is counted as late.
    const std::uint64_t floor = std::min({begin, in_progress, sampled}) - 1'000'000;
    last_flushed_ns_ = flushed;
    if (flushed_since) tell_losses(false);
    tick(flushed_since ? TickKind::flushed : TickKind::periodic, begin, floor, flushed);
  }
  return from_program;
}

void Collector::drain_ring(ThreadRing& thread) {
  if (!thread.ring.empty()) announce_thread(thread);
  thread.ring.drain([this](const RecordHeader& record) { consume_from_ring(record); });
}

void Collector::announce_thread(const ThreadRing& thread) {
  if (thread.thread_index < announced_threads_.size() && announced_threads_[thread.thread_index]) {
    return;
  }
  if (thread.thread_index > 1'000'000) return;  // memory stays bounded; ids remain in the records
  announced_threads_.resize(
      std::max<std::size_t>(announced_threads_.size(), thread.thread_index + 1));
  announced_threads_[thread.thread_index] = true;
  auto info = make_record<ThreadInfoRecord>(thread.thread_index);
  info.os_thread_id = thread.os_thread_id;
  info.name_id = interner_.intern(thread_name(thread.os_thread_id), *tap_);
  tap_->consume(info.header);
  if (host_) host_->watch(thread.thread_index, thread.os_thread_id, &thread);
}

void Collector::consume_from_ring(const RecordHeader& record) {
  if (record.kind != RecordKind::text_mark) {
    tap_->consume(record);
    return;
  }
  const auto text_mark = record_cast<TextMarkRecord>(record);
  const std::string_view text = trailing_text<TextMarkRecord>(record);
  const std::string_view domain = text.substr(0, text_mark.domain_bytes);
  // What emit_nvtx appends makes every name a new one, of which the table would soon be full.
  const std::string_view name = strip_range_name(text.substr(domain.size()));
  auto mark = make_record<MarkRecord>(record.thread);
  mark.time_ns = text_mark.time_ns;
  mark.range_id = text_mark.range_id;
  mark.mark = text_mark.mark;
  mark.domain_id = domain.empty() ? kNoString : interner_.intern(domain, *tap_);
  mark.name_id = name.empty() ? kNoString : interner_.intern(name, *tap_);
  tap_->consume(mark.header);
}

void Collector::check_clock() {
  if (const std::int64_t step = clock_watch_.step_ns(); step != 0) {
    auto record = make_record<ClockStepRecord>();
    record.time_ns = now_ns();
    record.step_ns = step;
    tap_->consume(record.header);
  }
  // Not inside a callback, and only once CUDA is up: with the first records.
  if (domain_checked_ || tap_->records() <= metas_.size() || backend_.is_dead()) return;
  const std::uint64_t theirs = backend_.timestamp_ns();
  if (theirs == 0) return;
  domain_checked_ = true;
  const auto difference = static_cast<std::int64_t>(theirs - now_ns());
  if (difference > kDomainToleranceNs || difference < -kDomainToleranceNs) {
    emit_meta(MetaKey::warning,
              fmt::format("CUPTI's clock differs from CLOCK_REALTIME by {:.3f} s: only figures of "
                          "the device alone are meaningful, not those that compare host and device",
                          static_cast<double>(difference) / 1e9),
              *tap_);
  }
}

void Collector::tick(TickKind kind, std::uint64_t now, std::uint64_t floor, std::uint64_t flushed) {
  auto record = make_record<TickRecord>();
  record.now_ns = now;
  record.host_floor_ns = floor;
  record.flushed_ns = flushed;
  record.tick = kind;
  tap_->consume(record.header);
}

// What full rings dropped, also what they could not mark yet, and what had no ring at all: told on
// the way too, since a process may be killed.
void Collector::tell_losses(bool at_the_end) {
  const auto totals = rings_.totals();
  auto lost = make_record<LostRecord>();
  lost.header.flags = kLostTotal;
  for (std::size_t k = 0; k < kRecordKinds; ++k) lost.count += totals.dropped[k];
  if (at_the_end) lost.count += rings_.unfindable();
  lost.api_calls = totals.dropped[static_cast<std::size_t>(RecordKind::api_call)];
  if (lost.count != told_lost_) tap_->consume(lost.header);
  told_lost_ = lost.count;
}

void Collector::tell_lost_samples() {
  if (host_ == nullptr || host_->dropped() == 0) return;
  emit_meta(MetaKey::warning,
            fmt::format("{} samples of what the CPU threads did were lost: causes of idle time may "
                        "be missing",
                        host_->dropped()),
            *tap_);
}

void Collector::finalise() {
  const std::string python = host_ ? host_->python_state() : "not looked at (GAPSCOPE_HOST=0)";
  environment_.start(environment_request(config_, python), {},
                     {backend_.gpu_reader(), static_cast<std::int64_t>(started_ns_)});
  // A sampler that does not end is left behind: its thread may still use it.
  if (host_ && !host_->stop(kHostStopNs)) (void)host_.release();
  drain();
  tell_losses(true);
  tell_lost_samples();
  if (!exit_status_.empty()) emit_meta(MetaKey::exit_status, exit_status_, *tap_);
  if (backend_.is_dead()) {
    emit_meta(MetaKey::truncated,
              "CUPTI reported a fatal error and went away: figures end where it did", *tap_);
  }
  backend_.conclude(*tap_);
  emit_meta(MetaKey::python, python, *tap_);
  environment_.emit(*tap_, kEnvironmentNs, kGpuStateNs);
  emit_meta(MetaKey::end_ns, fmt::format("{}", now_ns()), *tap_);
  const std::uint64_t now = now_ns();
  tick(TickKind::final_, now, now, now);
  close_files();
  final_report_ = make_report();
}

void Collector::close_files() {
  if (recording_ != nullptr) {
    const absl::Status closed = recording_->close();
    if (!closed.ok()) {
      complain("recording: " + std::string(closed.message()));
    } else if (recording_->stopped()) {
      complain(
          fmt::format("recording stopped at its limit of {} bytes (GAPSCOPE_RECORD_LIMIT); a "
                      "replay covers the run until there",
                      config_.record_limit_bytes));
    }
  }
  if (trace_ == nullptr) return;
  if (const absl::Status closed = trace_->close(); !closed.ok()) {
    complain("trace: " + std::string(closed.message()));
  } else if (trace_->stopped()) {
    complain(fmt::format("trace stopped at its limit of {} bytes (GAPSCOPE_TRACE_LIMIT)",
                         trace_->limit_bytes()));
  }
}

report::Report Collector::make_report() const {
  report::Report report = analysis_->report();
  report.self.callback_ns = static_cast<std::int64_t>(backend_.callback_ns());
  report.self.collector_cpu_ns = static_cast<std::int64_t>(clock_ns(CLOCK_THREAD_CPUTIME_ID));
  report.self.flush_cpu_ns = static_cast<std::int64_t>(flusher_.cpu_ns());
  report.self.host_cpu_ns = host_ ? static_cast<std::int64_t>(host_->cpu_ns()) : 0;
  report.self.ring_bytes = static_cast<std::int64_t>(rings_.memory_bytes());
  report.self.rings = static_cast<std::int64_t>(rings_.rings());
  report.self.buffer_bytes = static_cast<std::int64_t>(backend_.buffer_bytes());
  if (const auto calibration = report::read_calibration(config_.calibration_path);
      calibration.ok()) {
    report.self.cupti_ns = report::cupti_share_ns(report, *calibration);
  }
  return report;
}

void Collector::forget_after_fork() noexcept {
  if (host_) host_->forget_after_fork();
}

std::uint64_t Collector::request_drain() noexcept {
  const std::uint64_t ticket = drain_requested_.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_.wake();
  return ticket;
}

bool Collector::drained(std::uint64_t ticket) const noexcept {
  return drain_done_.load(std::memory_order_acquire) >= ticket;
}

bool Collector::finish(std::int32_t exit_status, bool exit_known,
                       std::uint64_t timeout_ns) noexcept {
  if (!started_) return true;
  if (exit_known) exit_status_ = std::to_string(exit_status);
  stop_.store(true, std::memory_order_release);
  wake_.wake();
  if (!wait_until(ended_, failed_, timeout_ns)) {
    pthread_detach(thread_);
    started_ = false;
    return false;
  }
  pthread_join(thread_, nullptr);
  started_ = false;
  return true;
}

}  // namespace gapscope
