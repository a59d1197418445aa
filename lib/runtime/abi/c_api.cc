#include "gapscope/gapscope.h"

#include "runtime/abi/instance.h"

using gapscope::instance;
using gapscope::MarkKind;
using gapscope::Session;

namespace {

gapscope_status state_of(const Session* session) {
  if (session == nullptr) return GAPSCOPE_NOT_RUNNING;
  switch (session->state()) {
    case Session::State::running:
      return GAPSCOPE_OK;
    case Session::State::failed:
      return GAPSCOPE_NO_CUPTI;
    case Session::State::forked:
      return GAPSCOPE_DISABLED;
    default:
      return GAPSCOPE_NOT_RUNNING;
  }
}

bool counts_ranges(const Session* session) {
  return session->config().capture.mode == gapscope::CaptureSpec::Mode::range;
}

// A record that a full ring dropped is counted in the report: not the caller's concern.
gapscope_status put_mark(MarkKind kind) {
  Session* session = instance();
  if (session == nullptr || !session->running()) return state_of(session);
  session->mark(kind);
  return GAPSCOPE_OK;
}

}  // namespace

extern "C" {

const char* gapscope_version(void) { return GAPSCOPE_VERSION_STRING; }

const char* gapscope_status_string(gapscope_status status) {
  switch (status) {
    case GAPSCOPE_OK:
      return "ok";
    case GAPSCOPE_ALREADY_STARTED:
      return "a session already records";
    case GAPSCOPE_DISABLED:
      return "disabled (GAPSCOPE_ENABLED=0, or a forked child)";
    case GAPSCOPE_NOT_RUNNING:
      return "no session is running";
    case GAPSCOPE_NO_CUPTI:
      return "CUPTI is missing, held by another tool, or not permitted";
    case GAPSCOPE_INVALID_ARGUMENT:
      return "invalid argument";
    case GAPSCOPE_IO_ERROR:
      return "the report could not be written";
  }
  return "unknown status";
}

gapscope_status gapscope_state(void) { return state_of(instance()); }

gapscope_status gapscope_start(const gapscope_options* options) {
  if (options != nullptr && options->size < sizeof(options->size)) {
    return GAPSCOPE_INVALID_ARGUMENT;
  }
  const gapscope_status status = gapscope::start_instance(options);
  Session* session = instance();
  if (session != nullptr && session->running() && counts_ranges(session)) {
    session->mark(MarkKind::capture_on);
  }
  return status;
}

gapscope_status gapscope_stop(void) {
  Session* session = instance();
  if (session == nullptr || !session->running()) return state_of(session);
  if (counts_ranges(session)) {
    session->mark(MarkKind::capture_off);
    return GAPSCOPE_OK;
  }
  try {
    return session->stop(0, false) ? GAPSCOPE_OK : GAPSCOPE_NOT_RUNNING;
  } catch (...) {
    return GAPSCOPE_IO_ERROR;
  }
}

gapscope_status gapscope_step(void) { return put_mark(MarkKind::step); }

gapscope_status gapscope_range_push(const char* name) {
  if (name == nullptr) return GAPSCOPE_INVALID_ARGUMENT;
  Session* session = instance();
  if (session == nullptr || !session->running()) return state_of(session);
  session->mark_text(MarkKind::range_push, name);
  return GAPSCOPE_OK;
}

gapscope_status gapscope_range_pop(void) { return put_mark(MarkKind::range_pop); }

gapscope_status gapscope_report(const char* path) {
  if (path == nullptr) return GAPSCOPE_INVALID_ARGUMENT;
  Session* session = instance();
  if (session == nullptr) return GAPSCOPE_NOT_RUNNING;
  if (!session->running() && session->state() != Session::State::done) return state_of(session);
  return session->write_report(path) ? GAPSCOPE_OK : GAPSCOPE_IO_ERROR;
}

}  // extern "C"
