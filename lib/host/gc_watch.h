// When the interpreter collects garbage: a function of ours in gc.callbacks.
//
// It gets there through Py_AddPendingCall: any thread may ask, without the interpreter's lock, and
// the interpreter's main thread then runs the installation when it next looks. So nothing of ours
// ever waits for that lock. The function writes a record when a collection ends; it neither
// raises nor allocates, and does nothing once off() was called. Only the main interpreter is
// watched. A program that empties gc.callbacks ends the records, nothing else.
//
// One object a process, never destroyed: the interpreter may call it as long as the process lives.
//
// Who touches what: the ring's producer is whoever holds the interpreter's lock (`busy_` keeps a
// second one out where there is no such lock); its consumer is the collector thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "host/python_api.h"
#include "record/record.h"
#include "ring/byte_ring.h"

namespace gapscope {

class GcWatch {
 public:
  // Shorter collections are not recorded: there may be thousands a second, and no gap that is
  // listed is their fault.
  static constexpr std::uint64_t kShortestNs = 20'000;
  static constexpr std::size_t kRingBytes = 32u << 10;  // 680 collections between two drains

  GcWatch();
  GcWatch(const GcWatch&) = delete;
  GcWatch& operator=(const GcWatch&) = delete;

  // Finds the interpreter's functions; false when there is none. On the thread that starts us.
  bool find() { return found_ = api_.find(); }
  // Asks the interpreter to install the function. True when it was asked, now or before; false
  // when it is not up yet or its queue is full: ask again later. Never waits.
  bool request() noexcept;
  bool installed() const noexcept { return installed_.load(std::memory_order_relaxed); }
  void off() noexcept { on_.store(false, std::memory_order_release); }

  // Begin of the collection in progress, 0 if none. Any thread.
  std::uint64_t since_ns() const noexcept { return start_ns_.load(std::memory_order_acquire); }
  ByteRing& ring() { return ring_; }  // of GcRecords; the collector drains it

 private:
  static int on_pending(void* self);
  // Offset: where a capsule keeps its pointer, in bytes. Read directly: a lookup of the
  // interpreter's functions needs the object that the capsule points to.
  template <int Offset>
  static PyObjectPtr on_collection(PyObjectPtr self, PyObjectPtr const* arguments, ssize_t count);
  bool choose_function(PyObjectPtr capsule);
  void install();
  void note(PyObjectPtr phase, PyObjectPtr info) noexcept;
  void finished(PyObjectPtr info, std::uint64_t start_ns) noexcept;
  std::uint32_t number(PyObjectPtr info, const char* key) noexcept;

  PythonApi api_;
  PyMethod method_;
  bool found_ = false;
  ByteRing ring_;
  std::atomic<bool> on_{true};
  std::atomic<bool> requested_{false};
  std::atomic<bool> installed_{false};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> start_ns_{0};
};

}  // namespace gapscope
