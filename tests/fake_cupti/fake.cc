#include "fake.h"

#include <unistd.h>

#include <string>

#include "callback_scope.h"
#include "clock.h"

namespace fake_cupti {
namespace {

// A call that began before the fatal error was told is not a violation.
constexpr std::uint64_t kFatalGraceNs = 200'000'000;

std::atomic<bool> g_exists{false};

}  // namespace

Fake& Fake::get() {
  static Fake* const fake = [] {
    auto* made = new Fake(Options::from_environment(FAKE_CUPTI_API_VERSION));
    g_exists.store(true, std::memory_order_release);
    return made;
  }();
  return *fake;
}

bool Fake::exists() { return g_exists.load(std::memory_order_acquire); }

Fake::Fake(const Options& from_environment)
    : options(from_environment),
      layout(Layout::of(options.version)),
      log(options.log_path),
      owner_(getpid()),
      next_correlation_(options.first_correlation) {
  log.event("loaded api " + std::to_string(options.version));
  CallbackScope::watch(log);
}

bool Fake::enter(const char* function) {
  if (CallbackScope::inside()) {
    log.violation(std::string(function) + " called inside a callback");
  }
  if (CallbackScope::locks_held() > 0) {
    log.violation(std::string(function) + " called while a lock is held");
  }
  if (getpid() != owner_) log.violation(std::string(function) + " called in a forked child");
  const std::uint64_t fatal = fatal_ns_.load(std::memory_order_acquire);
  if (fatal == 0) return true;
  if (steady_ns() > fatal + kFatalGraceNs) {
    log.violation(std::string(function) + " called after a fatal error");
  }
  return false;
}

bool Fake::kind_enabled(CUpti_ActivityKind kind) const {
  return kinds_[kind].load(std::memory_order_acquire);
}

CUptiResult Fake::enable_kind(CUpti_ActivityKind kind) {
  if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT) {
    return CUPTI_ERROR_INVALID_KIND;
  }
  if (options.enable_result != 0) return static_cast<CUptiResult>(options.enable_result);
  const std::string name = std::to_string(static_cast<int>(kind));
  if (!subscriber.active()) log.violation("activity kind " + name + " enabled without subscriber");
  if (kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) {
    log.violation("SYNCHRONIZATION enabled: it costs every launch");
  }
  if (kind == CUPTI_ACTIVITY_KIND_KERNEL) log.violation("KERNEL enabled: it serialises kernels");
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER || kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
    log.violation("API activity enabled: it doubles the cost of a launch");
  }
  log.event("enable kind " + name);
  kinds_[kind].store(true, std::memory_order_release);
  return CUPTI_SUCCESS;
}

CUptiResult Fake::flush(std::uint32_t flags) {
  if (!buffers.has_client()) return CUPTI_ERROR_INVALID_OPERATION;
  const bool forced = (flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  if (!cuda_up_.load(std::memory_order_acquire)) log.violation("flush before CUDA is up: deadlock");
  const std::uint64_t number = flushes_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (forced) {
    log.event("forced flush");
    if (forced_.fetch_add(1, std::memory_order_relaxed) != 0) log.violation("second forced flush");
  } else if (forced_.load(std::memory_order_relaxed) != 0) {
    log.violation("flush after the forced one: that belongs at the end");
  }
  if (number == options.hang_flush || (forced && options.hang_forced)) {
    log.event("flush hangs");
    for (;;) pause();
  }
  buffers.flush(forced);
  return CUPTI_SUCCESS;
}

std::uint64_t Fake::timestamp() const {
  return wall_ns() + static_cast<std::uint64_t>(options.clock_offset_ns);
}

void Fake::cuda_is_up() {
  if (cuda_up_.exchange(true) || !buffers.has_client()) return;
  if (!kind_enabled(CUPTI_ACTIVITY_KIND_DEVICE)) return;
  for (std::uint32_t device = 0; device < options.devices; ++device) {
    buffers.put(device_record(layout, device));
  }
}

void Fake::summary() {
  if (getpid() != owner_) return;
  buffers.check_held();
  log.event("summary flushes " + std::to_string(flushes_.load()) + " forced " +
            std::to_string(forced_.load()) + " buffers " + std::to_string(buffers.requested()) +
            " of " + std::to_string(buffers.lent_bytes()) + " bytes records " +
            std::to_string(buffers.delivered()) + " violations " +
            std::to_string(log.violations()));
}

}  // namespace fake_cupti
