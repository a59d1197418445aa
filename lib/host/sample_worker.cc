#include "host/sample_worker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "runtime/clock.h"

namespace gapscope {
namespace {

constexpr std::uint64_t kMaxIntervalNs = 1'000'000'000;  // a longer one says nothing of its parts
constexpr std::uint64_t kMaxOtherIntervalNs = 50'000'000;
constexpr std::uint64_t kProcessPeriodNs = 250'000'000;
constexpr double kBusy = 0.5;          // share of CPU that makes a thread the one waited for
constexpr double kBusyAutograd = 0.1;  // autograd's workers wait for the GPU in between
constexpr std::string_view kAutograd = "pt_autograd";

double share(const SampledThread& thread) {
  return static_cast<double>(thread.on_cpu_ns()) /
         static_cast<double>(thread.end_ns() - thread.begin_ns());
}

}  // namespace

SampleWorker::SampleWorker(const HostOptions& options, ByteRing& ring)
    : options_(options), ring_(ring), texts_(ring), python_(texts_) {
  throttle_.open();
}

void SampleWorker::find_python() {
  if (options_.frames) python_.find();
  if (!options_.collections) return;
  auto* watch = new GcWatch();
  if (watch->find()) {
    collections_ = watch;
    collections_->request();
  } else {
    delete watch;  // nobody knows it yet
  }
}

void SampleWorker::watch(SampledThread thread) {
  const std::lock_guard lock(new_mutex_);
  new_threads_.push_back(std::move(thread));
}

void SampleWorker::take_new_threads() {
  const std::lock_guard lock(new_mutex_);
  for (SampledThread& thread : new_threads_) {
    if (threads_.size() >= HostSampler::kMaxThreads) break;
    watched_.insert(thread.os_tid());
    threads_.push_back(std::move(thread));
  }
  new_threads_.clear();
}

void SampleWorker::resume() {
  for (SampledThread& thread : threads_) thread.look(0);
  process_ns_ = 0;
}

void SampleWorker::look_at_all() {
  const auto ended = [this](SampledThread& thread) {
    if (thread.look(kMaxIntervalNs)) return false;
    watched_.erase(thread.os_tid());
    return true;
  };
  threads_.erase(std::remove_if(threads_.begin(), threads_.end(), ended), threads_.end());
}

void SampleWorker::look_at_others() {
  census_.refresh(monotonic_ns(), watched_);
  auto& others = census_.candidates();
  const auto ended = [](SampledThread& thread) { return !thread.look(kMaxOtherIntervalNs); };
  others.erase(std::remove_if(others.begin(), others.end(), ended), others.end());
}

void SampleWorker::pass() {
  take_new_threads();
  look_at_all();
  bool any_waits = false;
  for (SampledThread& thread : threads_) {
    if (!thread.has_sample()) continue;
    thread.inspect(python_, options_.frames ? options_.max_frames : 0);
    any_waits |= thread.blocked() && thread.waits_for_a_thread();
  }
  if (any_waits) look_at_others();
  awaited_.clear();
  for (SampledThread& thread : threads_) {
    if (thread.has_sample()) emit(thread, any_waits);
  }
  for (SampledThread& other : census_.candidates()) {
    if (std::find(awaited_.begin(), awaited_.end(), other.os_tid()) == awaited_.end()) continue;
    other.inspect(python_, options_.frames ? options_.max_frames : 0);
    emit(other, false);
  }
  look_at_process(now_ns());
}

SampledThread* SampleWorker::busiest_other(const SampledThread& thread) {
  SampledThread* best = nullptr;
  double best_score = 0;
  const auto consider = [&](SampledThread& other) {
    if (&other == &thread || !other.has_sample() || other.end_ns() < thread.begin_ns()) return;
    const bool autograd = absl::StartsWith(other.name(), kAutograd);
    const bool works =
        share(other) >= (autograd ? kBusyAutograd : kBusy) || (autograd && other.made_calls());
    const double score = share(other) + (autograd ? 1 : 0);
    if (works && (best == nullptr || score > best_score)) {
      best = &other;
      best_score = score;
    }
  };
  for (SampledThread& other : threads_) consider(other);
  for (SampledThread& other : census_.candidates()) consider(other);
  return best;
}

// The lock's holder where the thread waits for the interpreter's lock; else a guess by activity.
void SampleWorker::find_awaited(SampledThread& thread, ThreadSampleRecord& record) {
  std::uint32_t tid = thread.waits_for_gil() ? thread.gil_holder() : 0;
  if (tid == thread.os_tid()) tid = 0;
  if (tid == 0) {
    const SampledThread* other = busiest_other(thread);
    if (other == nullptr) return;
    tid = other->os_tid();
    record.header.flags |= kSampleWaitGuess;
  }
  record.waits_for_os_thread = tid;
  awaited_.push_back(tid);
  const auto is_it = [tid](const SampledThread& other) { return other.os_tid() == tid; };
  auto found = std::find_if(threads_.begin(), threads_.end(), is_it);
  if (found == threads_.end()) {
    auto& others = census_.candidates();
    found = std::find_if(others.begin(), others.end(), is_it);
    if (found == others.end()) {
      record.waits_for_name_id = texts_.id(ThreadProbe(tid).name());
      return;
    }
  }
  record.waits_for = found->thread_index();
  record.waits_for_name_id = texts_.id(found->name());
}

void SampleWorker::emit(SampledThread& thread, bool blocked_matters) {
  FrameIds frames;
  ThreadSampleRecord record = thread.sample(texts_, &frames);
  if (blocked_matters && thread.blocked() && thread.waits_for_a_thread()) {
    find_awaited(thread, record);
  }
  push(record, frames);
}

void SampleWorker::push(ThreadSampleRecord record, const FrameIds& frames) {
  const std::size_t size = round_up_8(sizeof(record) + frames.size() * sizeof(frames[0]));
  record.header.size_bytes = static_cast<std::uint16_t>(size);
  record.frame_count = static_cast<std::uint8_t>(frames.size());
  auto* at = static_cast<char*>(ring_.reserve(size, RecordKind::thread_sample));
  if (at == nullptr) return;
  std::memset(at + size - 8, 0, 8);
  std::memcpy(at, &record, sizeof(record));
  if (!frames.empty()) {
    std::memcpy(at + sizeof(record), frames.data(), frames.size() * sizeof(frames[0]));
  }
  ring_.commit();
}

void SampleWorker::look_at_process(std::uint64_t now_ns) {
  if (now_ns - process_ns_ < kProcessPeriodNs) return;
  process_ns_ = now_ns;
  if (const auto throttled = throttle_.poll(now_ns)) ring_.push_fixed(*throttled);
  if (collections_ != nullptr) collections_->request();
}

}  // namespace gapscope
