// The report so far, kept in files: for who wants to look now, and for what is left when the
// process ends without a word. A thread of its own turns the report into text and writes it, so
// neither the program nor the collector waits for a file system.
//
// Whoever wants to look now puts a file SNAPSHOT.ask beside it (snapshot_ask_path()): while records
// flow, the thread looks for one twice a second, writes, and removes it.
//
// Two targets: the user's snapshot folder and GAPSCOPE_REPORT. At the end both hold the whole
// report. A process without a CUDA call leaves nothing in the folder.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "report/report.h"
#include "runtime/collector.h"
#include "runtime/config.h"
#include "runtime/owned_file.h"
#include "runtime/wake.h"

namespace gapscope {

class Snapshots {
 public:
  // Both must outlive this object.
  Snapshots(const Config& config, Collector& collector);

  // False when no thread could be made: then only the final report is written.
  bool start();

  // Writes one as soon as possible instead of at its time. Safe in a signal handler.
  void request() noexcept;

  // Ends the thread; true: no write is under way any more. False: one hangs in the file system, and
  // this object must be neither used nor destroyed.
  bool stop(std::uint64_t timeout_ns) noexcept;

  // After stop(), or without start(): the whole report.
  void write_final(const report::Report& report);

  // Where the report can be found: GAPSCOPE_REPORT's file, else the snapshot; "" when neither was
  // written. Thread that called write_final() only.
  std::string written_path() const;

 private:
  static void* thread_main(void* self);
  void run();
  std::uint64_t nap_ns(std::uint64_t now) const;
  bool asked();
  bool write_now();
  void write(const report::Report& report);
  void write_to(OwnedFile& file, const char* what, const std::string& json, bool& written);
  bool prepare_folder();

  const Config& config_;
  Collector& collector_;
  std::unique_ptr<OwnedFile> report_file_;
  std::unique_ptr<OwnedFile> snapshot_file_;
  bool report_written_ = false;
  bool snapshot_written_ = false;
  bool folder_ready_ = false;
  bool complained_ = false;
  std::uint64_t last_consumed_ = 0;
  std::uint64_t due_ns_ = 0;  // monotonic; 0: nothing new is expected, sleep until woken

  Wake wake_;
  pthread_t thread_{};
  bool started_ = false;
  std::atomic<bool> requested_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace gapscope
