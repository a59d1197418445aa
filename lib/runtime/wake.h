// Sleep of one thread that others may cut short without a lock.
//
// Waking is one atomic exchange, and one FUTEX_WAKE (which cannot block) only when the thread
// really sleeps, so callbacks may do it.
#pragma once

#include <atomic>
#include <cstdint>

namespace gapscope {

class Wake {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};

  // The sleeping thread. Returns when woken, when timeout_ns has passed, or at once if a wake came
  // since the last sleep. `deep` tells producers that nobody polls: see is_deep().
  void sleep(std::uint64_t timeout_ns, bool deep) noexcept;

  // Any thread; safe inside callbacks.
  void wake() noexcept;

  // Whether the thread sleeps until it is woken: the first record after a pause must wake it.
  // A stale answer delays that record until the next one; nothing is lost.
  bool is_deep() const noexcept { return state_.load(std::memory_order_relaxed) == kDeep; }
  // Whether a nearly full ring should cut the nap short.
  bool is_asleep() const noexcept { return state_.load(std::memory_order_relaxed) >= kNap; }

 private:
  static constexpr std::uint32_t kAwake = 0, kWoken = 1, kNap = 2, kDeep = 3;
  std::atomic<std::uint32_t> state_{kAwake};
};

}  // namespace gapscope
