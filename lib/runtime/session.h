// The owner of everything that runs: idle -> running -> draining -> done.
//
// Thread-safety: producer functions (step, ranges) are lock-free and may be called from any thread
// at any time; start and stop are serialised by the state. A session is never destroyed in a
// profiled process: callbacks may still hold on to it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "ring/ring_set.h"
#include "runtime/backend.h"
#include "runtime/collector.h"
#include "runtime/config.h"
#include "runtime/flusher.h"
#include "runtime/snapshots.h"
#include "runtime/wake.h"

namespace gapscope {

class Session {
 public:
  enum class State : int { idle, running, draining, done, failed, forked };

  // Takes what load_config() gave. Nothing runs yet.
  Session(Config config, std::unique_ptr<Backend> backend);

  // Starts backend and threads. On an error the session is `failed`, nothing of it stays active.
  absl::Status start();

  // Ends the session: waits until what was launched has its records (Config::exit_wait_ms at
  // most), prints the page and writes the files. exit_status: the program's, when it is known.
  // Returns false when it was not running.
  bool stop(int exit_status, bool exit_known);

  // Whether the session, which another thread is ending, has ended; waits that long for it.
  bool wait_until_ended(std::uint64_t timeout_ns) const noexcept;

  // In a forked child: nothing of the parent's session works here any more; forget it.
  void forget_after_fork() noexcept;

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool running() const noexcept { return state_.load(std::memory_order_relaxed) == State::running; }
  pid_t owner() const noexcept { return owner_; }
  const Config& config() const noexcept { return config_; }

  // Producers. False when not running or when the record was dropped (and counted).
  bool mark(MarkKind kind) noexcept;
  // name and domain are copied, together cut at kMaxMarkText bytes; domain "" is NVTX's default.
  bool mark_text(MarkKind kind, std::string_view name, std::string_view domain = {},
                 std::uint64_t range_id = 0) noexcept;

  // See gapscope_report(). Writes from the calling thread; after the end what stop() has made.
  bool write_report(const std::string& path) noexcept;
  // The snapshot is rewritten as soon as possible. Safe in a signal handler.
  void request_snapshot() noexcept;

  // Why start() failed, for gapscope_state().
  const absl::Status& start_status() const noexcept { return start_status_; }

 private:
  void open_recording();
  void open_trace();
  void add_process_metas();
  void wait_for_records();
  void take_in_completed(std::uint64_t deadline);
  bool force_flush();
  void publish(const report::Report& report, bool brief, bool files_at_rest);

  Config config_;
  std::unique_ptr<Backend> backend_;
  RingSet rings_;
  Wake collector_wake_;
  std::unique_ptr<Flusher> flusher_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<Snapshots> snapshots_;
  std::atomic<State> state_{State::idle};
  pid_t owner_ = 0;
  absl::Status start_status_;
  std::unique_ptr<const report::Report> whole_;  // before `done`, if there is one
};

}  // namespace gapscope
