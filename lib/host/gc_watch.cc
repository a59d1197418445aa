#include "host/gc_watch.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "runtime/clock.h"

namespace gapscope {
namespace {

constexpr char kCapsule[] = "gapscope.gc";
constexpr int kAfterHead = 16;              // sizeof(PyObject)
constexpr int kAfterFreeThreadedHead = 32;  // the same in a build without the common lock

void* pointer_at(PyObjectPtr object, int offset) {
  void* pointer = nullptr;
  std::memcpy(&pointer, static_cast<const char*>(object) + offset, sizeof(pointer));
  return pointer;
}

}  // namespace

GcWatch::GcWatch() : method_{"gapscope_gc", nullptr, kMethodFastCall, nullptr}, ring_(kRingBytes) {}

bool GcWatch::request() noexcept {
  if (requested_.load(std::memory_order_relaxed)) return true;
  if (!found_ || api_.is_initialized() == 0 || api_.is_finalizing() != 0) return false;
  // The call needs the interpreter to be there until it returns. It is far from its end: between
  // this look and the destruction of its queue lie the ends of all its modules.
  if (api_.add_pending_call(&GcWatch::on_pending, this) != 0) return false;
  requested_.store(true, std::memory_order_relaxed);
  return true;
}

int GcWatch::on_pending(void* self) {
  auto* watch = static_cast<GcWatch*>(self);
  if (watch->on_.load(std::memory_order_acquire)) watch->install();
  return 0;
}

bool GcWatch::choose_function(PyObjectPtr capsule) {
  if (pointer_at(capsule, kAfterHead) == this) {
    method_.function = &GcWatch::on_collection<kAfterHead>;
  } else if (pointer_at(capsule, kAfterFreeThreadedHead) == this) {
    method_.function = &GcWatch::on_collection<kAfterFreeThreadedHead>;
  }
  return method_.function != nullptr;
}

// On the interpreter's main thread, with its lock, between two bytecodes: no exception is set, and
// none may be left behind.
void GcWatch::install() {
  if (installed() || api_.is_finalizing() != 0) return;
  PyObjectPtr module = api_.import_module("gc");
  PyObjectPtr list = module != nullptr ? api_.get_attribute(module, "callbacks") : nullptr;
  PyObjectPtr self = list != nullptr ? api_.make_capsule(this, kCapsule, nullptr) : nullptr;
  PyObjectPtr function = nullptr;
  if (self != nullptr && choose_function(self)) {
    function = api_.make_function(&method_, self, nullptr);
  }
  if (function != nullptr && api_.list_append(list, function) == 0) {
    installed_.store(true, std::memory_order_relaxed);
  }
  api_.clear_error();
  // The function keeps our reference for good: whoever takes it out of the list frees nothing.
  for (const PyObjectPtr object : {self, list, module}) {
    if (object != nullptr) api_.drop_reference(object);
  }
}

// gc.callbacks calls f(phase, info) with phase "start" or "stop".
template <int Offset>
PyObjectPtr GcWatch::on_collection(PyObjectPtr self, PyObjectPtr const* arguments, ssize_t count) {
  auto* watch = static_cast<GcWatch*>(pointer_at(self, Offset));
  if (count == 2 && watch->on_.load(std::memory_order_acquire)) {
    watch->note(arguments[0], arguments[1]);
  }
  watch->api_.add_reference(watch->api_.none);
  return watch->api_.none;
}

void GcWatch::note(PyObjectPtr phase, PyObjectPtr info) noexcept {
  if (busy_.test_and_set(std::memory_order_acquire)) return;
  const std::uint64_t start = start_ns_.load(std::memory_order_relaxed);
  if (api_.compare_ascii(phase, "start") == 0) {
    start_ns_.store(now_ns(), std::memory_order_release);
  } else if (start != 0) {
    finished(info, start);
    // release: whoever sees that none is in progress sees the record of the last one.
    start_ns_.store(0, std::memory_order_release);
  }
  busy_.clear(std::memory_order_release);
}

void GcWatch::finished(PyObjectPtr info, std::uint64_t start_ns) noexcept {
  const std::uint64_t end = now_ns();
  if (end < start_ns + kShortestNs) return;
  auto record = make_record<GcRecord>();
  record.start_ns = start_ns;
  record.end_ns = end;
  record.generation = number(info, "generation");
  record.collected = number(info, "collected");
  record.os_thread_id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  ring_.push_fixed(record);
}

std::uint32_t GcWatch::number(PyObjectPtr info, const char* key) noexcept {
  PyObjectPtr value = api_.dict_item(info, key);
  const long number = value != nullptr ? api_.as_long(value) : 0;
  if (number >= 0) return static_cast<std::uint32_t>(number);
  api_.clear_error();
  return 0;
}

}  // namespace gapscope
