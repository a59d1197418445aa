#include "runtime/abi/instance.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>

#include "runtime/abi/endings.h"
#include "runtime/files.h"
#include "runtime/ready_to_throw.h"

namespace gapscope {
namespace {

// Threads' stacks and heaps, rings, analysis; and as much again for the program.
constexpr std::size_t kRoomBeyondBuffers = 64u << 20;

std::atomic<Session*> g_session{nullptr};
std::atomic_flag g_starting = ATOMIC_FLAG_INIT;
std::atomic_flag g_yield_said = ATOMIC_FLAG_INIT;

Config make_config(const gapscope_options* options) {
  std::vector<std::string> complaints;
  Config config = load_config(environ_entries(), &complaints);
  if (config.enabled) {
    for (const std::string& line : complaints) complain(line);
  }
  if (options != nullptr) {
    const auto has = [options](std::size_t end) { return options->size >= end; };
    if (has(offsetof(gapscope_options, report_path) + sizeof(char*)) &&
        options->report_path != nullptr && config.report_path.empty()) {
      config.report_path = expand_path(options->report_path, environ_entries());
    }
    if (has(offsetof(gapscope_options, record_path) + sizeof(char*)) &&
        options->record_path != nullptr && config.record_path.empty()) {
      config.record_path = expand_path(options->record_path, environ_entries());
    }
    if (has(offsetof(gapscope_options, quiet) + sizeof(int)) && options->quiet != 0) {
      config.quiet = true;
    }
  }
  return config;
}

// Whether the process may still map that much. Where its address space is limited, taking the last
// of it would make the program fail in our place.
bool has_room_for(std::size_t bytes) noexcept {
  void* const room =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

gapscope_status start_new(const gapscope_options* options) {
  Config config = make_config(options);
  if (!config.enabled) return GAPSCOPE_DISABLED;
  if (config.yield) {
    if (!g_yield_said.test_and_set()) {
      complain("off: CUPTI is left to another tool (GAPSCOPE_YIELD=1)");
    }
    return GAPSCOPE_DISABLED;
  }
  if (!has_room_for(config.buffer_limit_bytes + kRoomBeyondBuffers)) {
    complain("off: the process has not enough memory left (ulimit -v?)");
    return GAPSCOPE_NO_CUPTI;
  }
  auto session = std::make_unique<Session>(std::move(config), make_backend());
  Session* raw = session.release();  // never destroyed: callbacks may still run during exit
  g_session.store(raw, std::memory_order_release);
  const absl::Status status = raw->start();
  if (!status.ok()) {
    complain(fmt::format("off: {}", status.message()));
    return GAPSCOPE_NO_CUPTI;
  }
  register_endings(*raw);
  return GAPSCOPE_OK;
}

}  // namespace

Session* instance() noexcept { return g_session.load(std::memory_order_acquire); }

gapscope_status start_instance(const gapscope_options* options) noexcept {
  if (g_starting.test_and_set(std::memory_order_acquire)) return GAPSCOPE_ALREADY_STARTED;
  gapscope_status status = GAPSCOPE_ALREADY_STARTED;
  if (!ready_to_throw()) {
    complain("off: out of memory while starting");
    g_starting.clear(std::memory_order_release);
    return GAPSCOPE_NO_CUPTI;
  }
  try {
    const Session* session = instance();
    if (session == nullptr || session->state() == Session::State::forked) {
      status = start_new(options);
    } else if (session->state() == Session::State::failed) {
      status = GAPSCOPE_NO_CUPTI;
    } else if (session->state() != Session::State::running) {
      status = GAPSCOPE_NOT_RUNNING;
    }
  } catch (...) {
    complain("off: out of memory while starting");
    status = GAPSCOPE_NO_CUPTI;
  }
  g_starting.clear(std::memory_order_release);
  return status;
}

}  // namespace gapscope
