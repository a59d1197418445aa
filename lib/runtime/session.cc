#include "runtime/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>

#include "gapscope/gapscope.h"
#include "report/report_json.h"
#include "runtime/clock.h"
#include "runtime/file_output.h"
#include "runtime/files.h"
#include "runtime/page.h"
#include "sink/trace_writer.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::size_t kRingMemoryBytes = 64u << 20;  // all rings; further threads share the sink
constexpr std::uint64_t kForcedFlushNs = 1000 * kMs;
constexpr std::uint64_t kFinishNs = 10'000 * kMs;
constexpr std::uint64_t kReportNs = 5000 * kMs;
constexpr std::uint64_t kSnapshotEndNs = 5000 * kMs;

// The program's name and its first argument (the script), without folders.
std::string anonymous_command(const std::string& command) {
  const auto base = [](std::string_view word) { return word.substr(word.rfind('/') + 1); };
  const auto blank = command.find(' ');
  std::string kept(base(command.substr(0, blank)));
  if (blank == std::string::npos || command[blank + 1] == '-') return kept;
  const std::string script = command.substr(blank + 1, command.find(' ', blank + 1) - blank - 1);
  return fmt::format("{} {}", kept, base(script));
}

void pause_ns(long ns) {
  const timespec pause{0, ns};
  nanosleep(&pause, nullptr);
}

// One line for GAPSCOPE_VERBOSE.
std::string start_note(const Config& config, const std::string& found) {
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  return fmt::format(
      "started; {}; capture {}, graphs by {}; rings of {} KiB, at most {} buffers of {} KiB; "
      "report {}, recording {}",
      found, config.capture_text, config.graphs == GraphMode::node ? "node" : "launch",
      config.ring_bytes >> 10, config.buffer_limit_bytes / config.buffer_bytes,
      config.buffer_bytes >> 10, or_none(config.report_path), or_none(config.record_path));
}

}  // namespace

Session::Session(Config config, std::unique_ptr<Backend> backend)
    : config_(std::move(config)),
      backend_(std::move(backend)),
      rings_(std::bit_ceil(config_.ring_bytes),
             std::max<std::size_t>(4, kRingMemoryBytes / config_.ring_bytes)),
      owner_(getpid()) {}

absl::Status Session::start() {
  State expected = State::idle;
  if (!state_.compare_exchange_strong(expected, State::running)) return start_status_;
  flusher_ = std::make_unique<Flusher>(*backend_, collector_wake_, config_.flush_ms * kMs);
  collector_ = std::make_unique<Collector>(config_, rings_, *backend_, *flusher_, collector_wake_);
  snapshots_ = std::make_unique<Snapshots>(config_, *collector_);
  start_status_ = backend_->start(config_, {&rings_, &collector_wake_});
  if (start_status_.ok()) {
    open_recording();
    open_trace();
    add_process_metas();
    (void)snapshots_->start();  // without its thread there is only the final report
    if (!flusher_->start() || !collector_->start()) {
      backend_->stop_recording();
      snapshots_->stop(kSnapshotEndNs);
      start_status_ = absl::ResourceExhaustedError(
          "no thread could be made for it (limit on processes or memory?)");
    }
  }
  if (start_status_.ok() && config_.verbose) complain(start_note(config_, backend_->found()));
  if (!start_status_.ok()) state_.store(State::failed, std::memory_order_release);
  return start_status_;
}

void Session::open_recording() {
  if (config_.record_path.empty()) return;
  auto writer = RecordingWriter::open(config_.record_path, config_.record_limit_bytes);
  if (writer.ok()) {
    collector_->set_recording(*std::move(writer));
  } else {
    complain(fmt::format("no recording: {}", writer.status().message()));
  }
}

void Session::open_trace() {
  if (config_.trace_path.empty()) return;
  auto writer = sink::TraceWriter::open(config_.trace_path, config_.trace_limit_bytes);
  if (writer.ok()) {
    collector_->set_trace(*std::move(writer));
  } else {
    complain(fmt::format("no trace: {}", writer.status().message()));
  }
}

void Session::add_process_metas() {
  collector_->add_meta(MetaKey::version, GAPSCOPE_VERSION_STRING);
  const std::string command = command_line();
  collector_->add_meta(MetaKey::command, config_.anonymous ? anonymous_command(command) : command);
  collector_->add_meta(MetaKey::pid, fmt::format("{}", getpid()));
  collector_->add_meta(MetaKey::rank, config_.rank);
  if (!config_.anonymous) collector_->add_meta(MetaKey::hostname, host_name());
  collector_->add_meta(MetaKey::start_ns, fmt::format("{}", now_ns()));
  collector_->add_meta(MetaKey::graphs, config_.graphs == GraphMode::node ? "node" : "graph");
  collector_->add_meta(MetaKey::capture, config_.capture_text);
  collector_->add_meta(MetaKey::step_range, config_.step_range);
  collector_->add_meta(MetaKey::cpus, fmt::format("{}", allowed_cpus()));
}

bool Session::mark(MarkKind kind) noexcept {
  if (!running()) return false;
  auto record = make_record<MarkRecord>();
  record.mark = kind;
  record.time_ns = now_ns();
  ThreadRing* local = rings_.local();
  if (local == nullptr) {
    rings_.count_unringed(RecordKind::mark);
    return false;
  }
  record.header.thread = local->thread_index;
  const bool stored = local->ring.push(record.header);
  if (collector_wake_.is_deep()) collector_wake_.wake();
  return stored;
}

bool Session::mark_text(MarkKind kind, std::string_view name, std::string_view domain,
                        std::uint64_t range_id) noexcept {
  if (!running()) return false;
  domain = domain.substr(0, kMaxMarkText / 4);
  name = name.substr(0, kMaxMarkText - domain.size());
  ThreadRing* local = rings_.local();
  if (local == nullptr) {
    rings_.count_unringed(RecordKind::text_mark);
    return false;
  }
  const std::size_t text_bytes = domain.size() + name.size();
  const std::size_t size = round_up_8(sizeof(TextMarkRecord) + text_bytes);
  void* place = local->ring.reserve(size, RecordKind::text_mark);
  if (place == nullptr) return false;
  auto record = make_record<TextMarkRecord>(local->thread_index);
  record.header.size_bytes = static_cast<std::uint16_t>(size);
  record.time_ns = now_ns();
  record.range_id = range_id;
  record.mark = kind;
  record.domain_bytes = static_cast<std::uint32_t>(domain.size());
  record.text_bytes = static_cast<std::uint16_t>(text_bytes);
  char* to = static_cast<char*>(place);
  std::memcpy(to, &record, sizeof record);
  if (!domain.empty()) std::memcpy(to + sizeof record, domain.data(), domain.size());
  if (!name.empty()) std::memcpy(to + sizeof record + domain.size(), name.data(), name.size());
  local->ring.commit();
  if (collector_wake_.is_deep()) collector_wake_.wake();
  return true;
}

void Session::forget_after_fork() noexcept {
  if (collector_) collector_->forget_after_fork();
  state_.store(State::forked, std::memory_order_release);
}

bool Session::write_report(const std::string& path) noexcept {
  const State now = state();
  try {
    if (now == State::done && whole_ != nullptr)
      return write_file(path, report::to_json(*whole_)).ok();
    if (now != State::running) return false;
    take_in_completed(monotonic_ns() + config_.exit_wait_ms * kMs);
    const auto report = collector_->take_report(kReportNs);
    return report != nullptr && write_file(path, report::to_json(*report)).ok();
  } catch (...) {
    return false;  // no memory
  }
}

void Session::request_snapshot() noexcept {
  if (running()) snapshots_->request();
}

bool Session::wait_until_ended(std::uint64_t timeout_ns) const noexcept {
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (state() == State::draining) {
    if (monotonic_ns() > deadline) return false;
    pause_ns(1'000'000);
  }
  return true;
}

// What has completed by now is asked for, instead of awaited until the next flush.
void Session::take_in_completed(std::uint64_t deadline) {
  const auto drain = [this, deadline] {
    const std::uint64_t ticket = collector_->request_drain();
    while (!collector_->drained(ticket) && monotonic_ns() < deadline) pause_ns(100'000);
  };
  drain();
  if (collector_->outstanding() == 0) return;  // which also keeps it off before CUDA is up
  const std::uint64_t asked_ns = now_ns();
  flusher_->request();
  while (flusher_->flushed_ns() < asked_ns && monotonic_ns() < deadline) pause_ns(100'000);
  drain();
}

// Until nothing is outstanding: flush, let the collector take it in, look again.
void Session::wait_for_records() {
  const std::uint64_t deadline = monotonic_ns() + config_.exit_wait_ms * kMs;
  while (true) {
    const std::uint64_t before = flusher_->flushed_ns();
    flusher_->request();
    while (flusher_->flushed_ns() == before && monotonic_ns() < deadline) pause_ns(100'000);
    const std::uint64_t ticket = collector_->request_drain();
    while (!collector_->drained(ticket) && monotonic_ns() < deadline) pause_ns(100'000);
    if (collector_->outstanding() == 0 || monotonic_ns() >= deadline) return;
    pause_ns(2'000'000);
  }
}

bool Session::force_flush() {
  const std::uint64_t deadline = monotonic_ns() + kForcedFlushNs;
  flusher_->request_forced();
  while (!flusher_->forced_done()) {
    if (monotonic_ns() >= deadline) return false;
    pause_ns(100'000);
  }
  return true;
}

bool Session::stop(int exit_status, bool exit_known) {
  State expected = State::running;
  if (!state_.compare_exchange_strong(expected, State::draining)) return false;
  const std::uint64_t begin = monotonic_ns();
  collector_->end_at(now_ns());
  backend_->stop_recording();
  const bool files_at_rest = snapshots_->stop(kSnapshotEndNs);
  if (!collector_->failed()) wait_for_records();
  if (!force_flush()) {
    complain("the last flush did not return; the report holds what had arrived before");
  }
  const bool finished = collector_->finish(exit_status, exit_known, kFinishNs);
  flusher_->stop(100 * kMs);
  if (finished) {
    auto report = std::make_unique<report::Report>(collector_->final_report());
    report->self.exit_ns = static_cast<std::int64_t>(monotonic_ns() - begin);
    publish(*report, exit_known && exit_status != 0, files_at_rest);
    whole_ = std::move(report);
  } else {
    complain("no report: its analysis did not end in time");
  }
  state_.store(State::done, std::memory_order_release);
  return true;
}

void Session::publish(const report::Report& report, bool brief, bool files_at_rest) {
  if (files_at_rest) {
    snapshots_->write_final(report);
  } else {
    complain("no report file: writing one hangs in the file system");
  }
  write_html(report, config_);
  print_page(report, config_, brief, files_at_rest ? snapshots_->written_path() : std::string());
}

}  // namespace gapscope
