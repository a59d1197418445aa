#include "runtime/abi/instance.h"

#include <fmt/format.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "runtime/files.h"

namespace gapscope {
namespace {

std::atomic<Session*> g_session{nullptr};
std::atomic<bool> g_handlers_registered{false};
std::atomic_flag g_starting = ATOMIC_FLAG_INIT;

// Runs before the handlers that were registered earlier, those of the CUDA runtime included, since
// it is registered while CUDA starts. A forked child inherits it and does nothing.
void at_exit(int status, void*) {
  Session* session = g_session.load(std::memory_order_acquire);
  if (session == nullptr || session->owner() != getpid()) return;
  try {
    session->stop(status, true);
  } catch (...) {
    complain("no report: out of memory at exit");
  }
}

// In the child of a fork only the forking thread exists: our threads and their state are gone.
void in_forked_child() {
  if (Session* session = g_session.load(std::memory_order_relaxed)) session->forget_after_fork();
}

void register_handlers() {
  if (g_handlers_registered.exchange(true)) return;
  on_exit(&at_exit, nullptr);
  pthread_atfork(nullptr, nullptr, &in_forked_child);
}

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

gapscope_status start_new(const gapscope_options* options) {
  Config config = make_config(options);
  if (!config.enabled) return GAPSCOPE_DISABLED;
  auto session = std::make_unique<Session>(std::move(config), make_backend());
  Session* raw = session.release();  // never destroyed: callbacks may still run during exit
  g_session.store(raw, std::memory_order_release);
  const absl::Status status = raw->start();
  if (!status.ok()) {
    complain(fmt::format("off: {}", status.message()));
    return GAPSCOPE_NO_CUPTI;
  }
  register_handlers();
  return GAPSCOPE_OK;
}

}  // namespace

Session* instance() noexcept { return g_session.load(std::memory_order_acquire); }

gapscope_status start_instance(const gapscope_options* options) noexcept {
  if (g_starting.test_and_set(std::memory_order_acquire)) return GAPSCOPE_ALREADY_STARTED;
  gapscope_status status = GAPSCOPE_ALREADY_STARTED;
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
