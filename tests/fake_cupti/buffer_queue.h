// The road of activity records from a call to the client: asks it for buffers, fills them, hands
// them back when they are full or at a flush, on the thread that Options::delivery says. Checks
// that the client keeps to the rules about buffers. Thread-safe; no lock is held in a callback.
#pragma once

#include <cupti.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "buffer.h"
#include "layout.h"
#include "log.h"
#include "options.h"
#include "record.h"

namespace fake_cupti {

class BufferQueue {
 public:
  BufferQueue(const Options& options, const Layout& layout, Log& log);

  void set_client(CUpti_BuffersCallbackRequestFunc request,
                  CUpti_BuffersCallbackCompleteFunc complete);
  bool has_client() const { return request_.load(std::memory_order_acquire) != nullptr; }

  void put(const Record& record);
  // Hands back what has completed; everything when forced. Returns after the client has it.
  void flush(bool forced);
  void count_drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t take_dropped() { return dropped_.exchange(0, std::memory_order_relaxed); }
  std::uint64_t delivered() const { return delivered_.load(std::memory_order_relaxed); }
  std::uint64_t requested() const { return requested_.load(std::memory_order_relaxed); }
  // Of all buffers that the client ever lent, each counted once.
  std::uint64_t lent_bytes();
  // Looks at the buffers that are held when the process ends.
  void check_held();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void write(Lock& lock, const Record& record);
  void write_staged(Lock& lock);
  bool ask_client(Lock& lock);
  bool acceptable(const std::uint8_t* data, std::size_t size);
  std::vector<Buffer> take_full();
  void check(const Buffer& buffer);
  void give(Buffer& buffer);
  void start_worker();
  void work();

  const Options& options_;
  const Layout& layout_;
  Log& log_;
  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> requested_{0};
  std::atomic<std::uint64_t> given_{0};  // buffers

  std::mutex mutex_;  // guards all below
  Buffer current_;
  std::vector<Buffer> full_;
  std::vector<Buffer> leaving_;  // the worker's: to hand over as they are
  std::vector<Record> staged_;   // shuffling: not yet written
  std::map<const std::uint8_t*, std::size_t> lent_;
  std::mt19937_64 random_;
  bool worker_started_ = false;
  std::uint64_t orders_ = 0;  // flushes that wait for the worker
  std::uint64_t orders_done_ = 0;
  std::condition_variable wake_worker_;
  std::condition_variable wake_flush_;
};

}  // namespace fake_cupti
