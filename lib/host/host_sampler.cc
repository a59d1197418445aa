#include "host/host_sampler.h"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/sample_worker.h"
#include "runtime/clock.h"
#include "runtime/ready_to_throw.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kMaxLagNs = 1'000'000'000;
constexpr std::uint64_t kMaxPauseNs = 20'000'000;
constexpr std::uint64_t kShare = 50;  // of a core, one part in this many, is what we may take

void pause(std::uint64_t ns) {
  const timespec t{static_cast<time_t>(ns / 1'000'000'000u),
                   static_cast<long>(ns % 1'000'000'000u)};
  ::nanosleep(&t, nullptr);
}

}  // namespace

HostSampler::HostSampler(HostOptions options)
    : options_(options),
      ring_(options.ring_bytes),
      worker_(std::make_unique<SampleWorker>(options_, ring_)) {
  ::sem_init(&wake_, 0, 0);
}

HostSampler::~HostSampler() {
  if (GcWatch* collections = worker_->collections()) collections->off();
  ::sem_destroy(&wake_);
}

bool HostSampler::start() {
  worker_->find_python();
  started_ = options_.start_thread(&thread_, &HostSampler::thread_main, this, "gapscope-host");
  return started_;
}

void* HostSampler::thread_main(void* self) {
  auto* sampler = static_cast<HostSampler*>(self);
  if (ready_to_throw()) {
    try {
      sampler->run();
    } catch (...) {
      // Out of memory, most likely: no more samples, the program goes on.
    }
  }
  sampler->ended_.store(true, std::memory_order_release);
  return nullptr;
}

void HostSampler::run() {
  std::uint64_t cost_ns = 0;  // of a pass, smoothed
  bool resuming = true;
  while (!stop_.load(std::memory_order_acquire)) {
    if (!active_.load(std::memory_order_acquire)) {
      while (::sem_wait(&wake_) != 0 && errno == EINTR) {
      }
      resuming = true;
      continue;
    }
    const std::uint64_t begin = now_ns();
    if (std::exchange(resuming, false)) worker_->resume();
    worker_->pass();
    // release: the samples of this pass come before it.
    until_ns_.store(begin, std::memory_order_release);
    const std::uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const std::uint64_t cost = cpu - cpu_ns_.exchange(cpu, std::memory_order_relaxed);
    cost_ns = cost_ns == 0 ? cost : (7 * cost_ns + cost) / 8;
    pause(std::clamp(kShare * cost_ns, options_.period_ns, kMaxPauseNs));
  }
}

void HostSampler::set_active(bool active) noexcept {
  if (std::exchange(was_active_, active) == active) return;
  if (active) until_ns_.store(now_ns(), std::memory_order_relaxed);
  active_.store(active, std::memory_order_release);
  if (active) ::sem_post(&wake_);
}

void HostSampler::watch(std::uint32_t thread_index, std::uint32_t os_tid, const ThreadRing* ring) {
  worker_->watch(SampledThread(thread_index, os_tid, ring));
}

std::uint64_t HostSampler::sampled_until_ns() const noexcept {
  if (!was_active_ || ended_.load(std::memory_order_acquire)) return ~std::uint64_t{0};
  std::uint64_t until = until_ns_.load(std::memory_order_acquire);
  const GcWatch* collections = worker_->collections();
  const std::uint64_t since = collections != nullptr ? collections->since_ns() : 0;
  if (since != 0) until = std::min(until, since);
  const std::uint64_t now = now_ns();
  return until + kMaxLagNs < now ? now - kMaxLagNs : until;
}

std::size_t HostSampler::drain(RecordSink& sink, const Intern& intern) {
  const auto take = [&](const RecordHeader& record) { drain_record(record, sink, intern); };
  std::size_t records = ring_.drain(take);
  merger_.flush(sink);
  if (GcWatch* collections = worker_->collections()) records += collections->ring().drain(take);
  return records;
}

std::uint32_t HostSampler::interned(std::uint32_t own_id) const {
  return own_id < interned_.size() ? interned_[own_id] : kNoString;
}

void HostSampler::drain_record(const RecordHeader& record, RecordSink& sink, const Intern& intern) {
  if (record.kind == RecordKind::string_def) {
    const auto def = record_cast<StringDefRecord>(record);
    if (def.id >= interned_.size()) interned_.resize(def.id + 1, kNoString);
    interned_[def.id] = intern(trailing_text<StringDefRecord>(record));
  } else if (record.kind == RecordKind::thread_sample) {
    drain_sample(record, sink);
  } else if (record.kind != RecordKind::lost) {
    sink.consume(record);
  }
}

void HostSampler::drain_sample(const RecordHeader& record, RecordSink& sink) {
  alignas(8) char bytes[sizeof(ThreadSampleRecord) + 4 * (PythonReader::kMaxFrames + 1)];
  if (record.size_bytes > sizeof(bytes)) return;
  std::memcpy(bytes, &record, record.size_bytes);
  auto sample = record_cast<ThreadSampleRecord>(record);
  sample.wait_id = interned(sample.wait_id);
  sample.waits_for_name_id = interned(sample.waits_for_name_id);
  std::memcpy(bytes, &sample, sizeof(sample));
  for (std::size_t i = 0; i < sample.frame_count; ++i) {
    std::uint32_t id = 0;
    char* at = bytes + sizeof(sample) + 4 * i;
    std::memcpy(&id, at, 4);
    id = interned(id);
    std::memcpy(at, &id, 4);
  }
  merger_.add(*reinterpret_cast<const RecordHeader*>(bytes), sink);
}

std::string HostSampler::python_state() const {
  const PythonProcess& python = worker_->python();
  if (!options_.frames) return "frames off";
  switch (python.state) {
    case PythonProcess::State::absent:
      return "no Python";
    case PythonProcess::State::unsupported:
      return fmt::format("{}, frames off: {}", python.version, python.why_not);
    case PythonProcess::State::ready:
      break;
  }
  return fmt::format("{}, frames on", python.version);
}

bool HostSampler::stop(std::uint64_t timeout_ns) noexcept {
  if (GcWatch* collections = worker_->collections()) collections->off();
  if (!started_) return true;
  stop_.store(true, std::memory_order_release);
  ::sem_post(&wake_);
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (!ended_.load(std::memory_order_acquire)) {
    if (monotonic_ns() > deadline) {
      ::pthread_detach(thread_);
      started_ = false;
      return false;
    }
    pause(200'000);
  }
  ::pthread_join(thread_, nullptr);
  started_ = false;
  return true;
}

void HostSampler::forget_after_fork() noexcept {
  if (GcWatch* collections = worker_->collections()) collections->off();
  started_ = false;  // the thread stayed in the parent
}

std::size_t HostSampler::memory_bytes() const noexcept {
  const GcWatch* collections = worker_->collections();
  return ring_.capacity_bytes() + (collections != nullptr ? GcWatch::kRingBytes : 0);
}

std::uint64_t HostSampler::dropped() const noexcept {
  return ring_.dropped(RecordKind::thread_sample) + ring_.dropped(RecordKind::string_def) +
         ring_.dropped(RecordKind::throttle);
}

}  // namespace gapscope
