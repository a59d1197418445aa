#include "runtime/snapshots.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "report/report_json.h"
#include "runtime/clock.h"
#include "runtime/files.h"
#include "runtime/ready_to_throw.h"
#include "runtime/snapshot_folder.h"
#include "runtime/thread.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kFirstNs = 2000 * kMs;
constexpr std::uint64_t kAskedNs = 500 * kMs;  // between looks for somebody who asks
constexpr std::uint64_t kReportNs = 5000 * kMs;

bool used_cuda(const report::Report& report) {
  return report.records.seen + report.records.calls > 0;
}

}  // namespace

Snapshots::Snapshots(const Config& config, Collector& collector)
    : config_(config), collector_(collector) {
  const std::uint64_t since_ns = process_start_ns();
  if (!config.report_path.empty()) {
    report_file_ = std::make_unique<OwnedFile>(config.report_path, since_ns);
  }
  if (!config.snapshot_folder.empty()) {
    snapshot_file_ = std::make_unique<OwnedFile>(
        snapshot_path(config.snapshot_folder, getpid(), config.run_id), since_ns);
  }
}

bool Snapshots::start() {
  if (snapshot_file_ == nullptr && report_file_ == nullptr) return true;
  collector_.tell_arrivals(&wake_);
  started_ = start_thread(&thread_, &Snapshots::thread_main, this, "gapscope-snap");
  return started_;
}

void* Snapshots::thread_main(void* self) {
  auto* snapshots = static_cast<Snapshots*>(self);
  if (ready_to_throw()) {
    try {
      snapshots->run();
    } catch (...) {
      // Out of memory: no further snapshots; the final report is tried all the same.
    }
  }
  snapshots->ended_.store(true, std::memory_order_release);
  return nullptr;
}

void Snapshots::run() {
  const std::uint64_t period_ns = config_.snapshot_ms * kMs;
  std::uint64_t written_ns = 0;
  while (!stop_.load(std::memory_order_acquire)) {
    wake_.sleep(nap_ns(monotonic_ns()), false);
    if (stop_.load(std::memory_order_acquire)) return;
    if (!collector_.arrived()) continue;
    const std::uint64_t now = monotonic_ns();
    if (due_ns_ == 0) {  // records come, for the first time or again
      due_ns_ = written_ns == 0 ? now + std::min(kFirstNs, period_ns) : written_ns + period_ns;
    }
    const bool wanted = asked();
    if (!wanted && now < due_ns_) continue;
    const bool is_due = now >= due_ns_;
    if (write_now()) {
      written_ns = now;
      due_ns_ = now + period_ns;
    } else if (is_due) {
      due_ns_ = collector_.paused() ? 0 : now + period_ns;
    }
    if (wanted && snapshot_file_ != nullptr) {
      unlink(snapshot_ask_path(snapshot_file_->path()).c_str());
    }
  }
}

std::uint64_t Snapshots::nap_ns(std::uint64_t now) const {
  if (due_ns_ == 0) return Wake::kForever;
  return std::min(kAskedNs, due_ns_ - std::min(now, due_ns_));
}

bool Snapshots::asked() {
  if (requested_.exchange(false, std::memory_order_acq_rel)) return true;
  return folder_ready_ && snapshot_file_ != nullptr &&
         access(snapshot_ask_path(snapshot_file_->path()).c_str(), F_OK) == 0;
}

// False when there is nothing new since the last one: the file says the same.
bool Snapshots::write_now() {
  const std::uint64_t consumed = collector_.consumed();
  if (consumed == last_consumed_) return false;
  const auto report = collector_.take_report(kReportNs);
  if (report == nullptr || stop_.load(std::memory_order_acquire)) return true;
  last_consumed_ = consumed;
  write(*report);
  return true;
}

void Snapshots::write(const report::Report& report) {
  const bool to_folder = snapshot_file_ != nullptr && used_cuda(report);
  if (report_file_ == nullptr && !to_folder) return;
  const std::string json = report::to_json(report);
  if (report_file_ != nullptr) write_to(*report_file_, "report file", json, report_written_);
  if (!to_folder || !prepare_folder()) return;
  if (!has_room(config_.snapshot_folder, json.size())) return;
  write_to(*snapshot_file_, "snapshot", json, snapshot_written_);
}

// Once a process: the folder is made when there is something to put in, and old files go.
bool Snapshots::prepare_folder() {
  if (folder_ready_) return true;
  const absl::Status status = prepare_snapshot_folder(config_.snapshot_folder);
  if (!status.ok()) {
    complain(
        fmt::format("no snapshots: {} (GAPSCOPE_SNAPSHOT=0 switches them off, a path names "
                    "another folder)",
                    status.message()));
    snapshot_file_.reset();
    return false;
  }
  clear_old_snapshots(config_.snapshot_folder, now_ns());
  folder_ready_ = true;
  return true;
}

void Snapshots::write_to(OwnedFile& file, const char* what, const std::string& json,
                         bool& written) {
  const bool was_renamed = file.renamed();
  const absl::Status status = file.write(json);
  written = written || status.ok();
  if (!status.ok()) {
    if (!complained_) complain(fmt::format("no {}: {}", what, status.message()));
    complained_ = true;
  } else if (file.renamed() && !was_renamed && &file == report_file_.get()) {
    complain(
        fmt::format("another process wrote {} while this one ran: the report is in {} (%p in "
                    "GAPSCOPE_REPORT gives each process its own)",
                    config_.report_path, file.path()));
  }
}

void Snapshots::request() noexcept {
  requested_.store(true, std::memory_order_release);
  wake_.wake();
}

bool Snapshots::stop(std::uint64_t timeout_ns) noexcept {
  if (!started_) return true;
  stop_.store(true, std::memory_order_release);
  wake_.wake();
  started_ = false;
  return join_thread(thread_, ended_, timeout_ns);
}

void Snapshots::write_final(const report::Report& report) {
  complained_ = false;  // what did not work in the middle is told again at the end
  report_written_ = snapshot_written_ = false;
  write(report);
}

std::string Snapshots::written_path() const {
  if (report_written_) return report_file_->path();
  return snapshot_written_ ? snapshot_file_->path() : std::string();
}

}  // namespace gapscope
