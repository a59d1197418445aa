#include "runtime/flusher.h"

#include "runtime/clock.h"
#include "runtime/thread.h"

namespace gapscope {

Flusher::Flusher(Backend& backend, Wake& collector_wake, std::uint64_t period_ns)
    : backend_(backend), collector_wake_(collector_wake), period_ns_(period_ns) {}

bool Flusher::start() {
  started_ = start_thread(&thread_, &Flusher::thread_main, this, "gapscope-flush");
  return started_;
}

void* Flusher::thread_main(void* self) {
  static_cast<Flusher*>(self)->run();
  return nullptr;
}

void Flusher::run() {
  while (!stop_.load(std::memory_order_acquire)) {
    const bool active = active_.load(std::memory_order_acquire);
    wake_.sleep(active ? period_ns_ : Wake::kForever, !active);
    if (stop_.load(std::memory_order_acquire)) break;
    const bool requested = requested_.exchange(false, std::memory_order_acq_rel);
    const bool force = force_.exchange(false, std::memory_order_acq_rel);
    if (!requested && !force && !active_.load(std::memory_order_acquire)) continue;
    const std::uint64_t begin_ns = now_ns();
    if (!backend_.is_dead()) {
      if (force) {
        backend_.flush_forced();
      } else {
        backend_.flush();
      }
    }
    cpu_ns_.store(clock_ns(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
    // release: the buffers that this flush delivered come before it.
    flushed_ns_.store(begin_ns, std::memory_order_release);
    if (force) forced_done_.store(true, std::memory_order_release);
    collector_wake_.wake();
    if (force) break;  // what is withheld after it is nobody's any more
  }
  ended_.store(true, std::memory_order_release);
}

void Flusher::set_active(bool active) noexcept {
  if (active_.load(std::memory_order_relaxed) == active) return;
  active_.store(active, std::memory_order_release);
  if (active) wake_.wake();
}

void Flusher::request() noexcept {
  requested_.store(true, std::memory_order_release);
  wake_.wake();
}

void Flusher::request_forced() noexcept {
  force_.store(true, std::memory_order_release);
  wake_.wake();
}

bool Flusher::stop(std::uint64_t timeout_ns) noexcept {
  if (!started_) return true;
  stop_.store(true, std::memory_order_release);
  wake_.wake();
  started_ = false;
  return join_thread(thread_, ended_, timeout_ns);
}

std::uint64_t Flusher::cpu_ns() const noexcept { return cpu_ns_.load(std::memory_order_relaxed); }

}  // namespace gapscope
