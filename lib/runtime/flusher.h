// The flush thread: the only one that asks the backend to hand over what has completed. It calls
// nothing else, so that a flush that hangs in the driver harms nobody but the data.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "runtime/backend.h"
#include "runtime/wake.h"

namespace gapscope {

class Flusher {
 public:
  // period_ns: between flushes while active. The backend must outlive a flush that never returns:
  // see stop().
  Flusher(Backend& backend, Wake& collector_wake, std::uint64_t period_ns);

  bool start();  // false when no thread could be made

  // Collector: whether records flow or are awaited; without either the thread sleeps until told.
  void set_active(bool active) noexcept;

  // Begin time of the last flush that has returned (0 before the first). Buffers that it delivered
  // are visible to whoever has read this value.
  std::uint64_t flushed_ns() const noexcept { return flushed_ns_.load(std::memory_order_acquire); }

  // Asks for a flush now, or for the forced one at the end, after which there is none; any thread.
  void request() noexcept;
  void request_forced() noexcept;
  bool forced_done() const noexcept { return forced_done_.load(std::memory_order_acquire); }

  // Ends the thread unless it hangs inside a flush: waits timeout_ns at most. False: it still
  // hangs, and neither this object nor the backend may be destroyed.
  bool stop(std::uint64_t timeout_ns) noexcept;

  std::uint64_t cpu_ns() const noexcept;  // of the thread, as of its last flush

 private:
  static void* thread_main(void* self);
  void run();

  Backend& backend_;
  Wake& collector_wake_;
  const std::uint64_t period_ns_;
  Wake wake_;
  pthread_t thread_{};
  bool started_ = false;
  std::atomic<bool> active_{false};
  std::atomic<bool> requested_{false};
  std::atomic<bool> force_{false};
  std::atomic<bool> forced_done_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> flushed_ns_{0};
  std::atomic<std::uint64_t> cpu_ns_{0};
};

}  // namespace gapscope
