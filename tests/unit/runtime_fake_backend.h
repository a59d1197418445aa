// A backend without CUDA: hands over what the test gives it, when it is flushed.
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "runtime/backend.h"
#include "runtime/clock.h"

namespace gapscope::test {

class FakeBackend final : public Backend {
 public:
  absl::Status start(const Config&, const BackendHost& host) override {
    host_ = host;
    return start_status;
  }
  void flush() override {
    flushes.fetch_add(1);
    while (hang.load()) std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    ready_.insert(ready_.end(), launched_.begin(), launched_.end());
    launched_.clear();
  }
  void flush_forced() override {
    forced.fetch_add(1);
    flush();
  }
  std::size_t collect(RecordSink& sink, Interner& interner) override {
    if (no_memory.load()) throw std::bad_alloc();
    std::vector<KernelRecord> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(ready_);
    }
    for (KernelRecord& k : taken) {
      k.name_id = interner.intern("kernel", sink);
      sink.consume(k.header);
    }
    return taken.size();
  }
  void describe(RecordSink& sink, Interner&) override {
    emit_meta(MetaKey::cupti_version, "1", sink);
  }
  void conclude(RecordSink&) override {}
  void stop_recording() override { recording.store(false); }
  bool is_dead() const override { return dead.load(); }
  std::uint64_t timestamp_ns() override { return now_ns() + clock_offset_ns; }
  std::size_t buffer_bytes() const override { return 0; }
  std::uint64_t callback_ns() const override { return 0; }

  // One launch call and, unless lost, its kernel of duration_ns right after it.
  void launch(std::uint32_t correlation, std::uint64_t duration_ns, bool lost = false) {
    auto call = make_record<ApiCallRecord>();
    call.start_ns = now_ns();
    call.end_ns = call.start_ns + 100;
    call.correlation_id = correlation;
    call.context = 1;
    call.api = 1;
    call.category = ApiCategory::launch;
    call.expects = Expects::one;
    ThreadRing* local = host_.rings->local();
    call.header.thread = local->thread_index;
    local->ring.push(call.header);
    host_.collector_wake->wake();
    if (lost) return;
    auto kernel = make_record<KernelRecord>();
    kernel.start_ns = call.end_ns + 50;
    kernel.end_ns = kernel.start_ns + duration_ns;
    kernel.correlation_id = correlation;
    kernel.context = 1;
    kernel.stream = 7;
    const std::lock_guard lock(mutex_);
    launched_.push_back(kernel);
  }

  absl::Status start_status;
  std::int64_t clock_offset_ns = 0;
  std::atomic<int> flushes{0}, forced{0};
  std::atomic<bool> hang{false}, no_memory{false}, dead{false}, recording{true};

 private:
  BackendHost host_;
  std::mutex mutex_;
  std::vector<KernelRecord> launched_, ready_;
};

}  // namespace gapscope::test
