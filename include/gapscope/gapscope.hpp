// gapscope for C++17 and later: RAII over gapscope.h, header-only, nothing else behind it.
//
//   gapscope::Session session;                       // before the first CUDA call
//   for (const Batch& batch : batches) {
//     gapscope::Range range("train");                // until the end of the scope
//     train(batch);
//     gapscope::step();
//   }
//
// Everything here is noexcept and may be called from any thread at any time, except from a callback
// of CUDA. A process that cannot be profiled (no GPU, another profiler, GAPSCOPE_ENABLED=0) runs on
// unchanged: the calls then return at once with the reason.
#pragma once

#include <gapscope/gapscope.h>

namespace gapscope {
// Keeps these names apart from those of any other version in the same process.
inline namespace cpp0 {

enum class Status : int {
  ok = GAPSCOPE_OK,
  already_started = GAPSCOPE_ALREADY_STARTED,
  disabled = GAPSCOPE_DISABLED,
  not_running = GAPSCOPE_NOT_RUNNING,
  no_cupti = GAPSCOPE_NO_CUPTI,
  invalid_argument = GAPSCOPE_INVALID_ARGUMENT,
  io_error = GAPSCOPE_IO_ERROR,
};

// A short English sentence; static storage, never null.
inline const char* to_string(Status status) noexcept {
  return gapscope_status_string(static_cast<gapscope_status>(status));
}

// The version of the library that was loaded, "0.1.0"; GAPSCOPE_VERSION_STRING is that of the
// header. Static storage.
inline const char* version() noexcept { return gapscope_version(); }

// ok while a session records, else the reason why not.
inline Status state() noexcept { return static_cast<Status>(gapscope_state()); }

// Marks the boundary between two steps (training iterations, requests): call it once a step.
inline Status step() noexcept { return static_cast<Status>(gapscope_step()); }

// Writes the report so far as JSON to path; blocks until it is written, 5 s at most.
inline Status report(const char* path) noexcept {
  return static_cast<Status>(gapscope_report(path));
}

// Environment variables GAPSCOPE_* win over these.
struct Options {
  const char* report_path = nullptr;  // JSON report at the end; read by Session's constructor only
  const char* record_path = nullptr;  // recording for `gapscope replay`; likewise
  bool quiet = false;                 // print no page at the end
};

// Records from its construction to its destruction, which waits for what was launched (about 1 s at
// most), prints the page on stderr and writes the files. A session that something else began, by
// injection for instance, is left to go on: this object then does nothing. Under
// GAPSCOPE_CAPTURE=range it stands for one counted range instead.
class Session {
 public:
  explicit Session(const Options& options = {}) noexcept : status_(start(options)) {}
  ~Session() { stop(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // What starting gave, then what stop() gave. For one thread at a time, as any object.
  Status status() const noexcept { return status_; }
  // True from a successful start to stop().
  bool running() const noexcept { return status_ == Status::ok; }

  // Ends the session before the destructor does; not_running if this object does not record.
  Status stop() noexcept {
    if (!running()) return Status::not_running;
    const Status stopped = static_cast<Status>(gapscope_stop());
    status_ = stopped == Status::ok ? Status::not_running : stopped;
    return stopped;
  }

 private:
  static Status start(const Options& options) noexcept {
    gapscope_options raw = {};
    raw.size = sizeof raw;
    raw.report_path = options.report_path;
    raw.record_path = options.record_path;
    raw.quiet = options.quiet ? 1 : 0;
    return static_cast<Status>(gapscope_start(&raw));
  }

  Status status_;
};

// A named range of the calling thread; must end on the thread that began it, innermost first, which
// a local variable does by itself. name is copied (512 bytes of it at most) and may be freed.
class Range {
 public:
  explicit Range(const char* name) noexcept : open_(gapscope_range_push(name) == GAPSCOPE_OK) {}
  ~Range() {
    if (open_) gapscope_range_pop();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  bool open_;
};

}  // namespace cpp0
}  // namespace gapscope
