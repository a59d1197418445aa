#include "buffer_queue.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "callback_scope.h"
#include "clock.h"

namespace fake_cupti {
namespace {

constexpr std::size_t kStaged = 48;  // how far a shuffled record may move
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBuffer = 4096;

}  // namespace

BufferQueue::BufferQueue(const Options& options, const Layout& layout, Log& log)
    : options_(options), layout_(layout), log_(log), random_(options.shuffle_seed) {}

void BufferQueue::set_client(CUpti_BuffersCallbackRequestFunc request,
                             CUpti_BuffersCallbackCompleteFunc complete) {
  if (has_client()) log_.violation("buffer callbacks registered twice");
  complete_.store(complete, std::memory_order_release);
  request_.store(request, std::memory_order_release);
}

void BufferQueue::put(const Record& record) {
  Lock lock(mutex_);
  if (options_.shuffle_seed == 0) {
    write(lock, record);
  } else {
    staged_.push_back(record);
    if (staged_.size() >= kStaged) write_staged(lock);
  }
  if (options_.delivery == Delivery::launch) {
    std::vector<Buffer> ready = take_full();
    lock.unlock();
    for (Buffer& buffer : ready) give(buffer);
  } else if (options_.delivery == Delivery::worker) {
    start_worker();
    if (!full_.empty()) wake_worker_.notify_one();
  }
}

void BufferQueue::write_staged(Lock& lock) {
  std::vector<Record> records = std::exchange(staged_, {});
  std::shuffle(records.begin(), records.end(), random_);
  for (const Record& record : records) write(lock, record);
}

void BufferQueue::write(Lock& lock, const Record& record) {
  if (current_.exists() && !current_.mapped()) {
    log_.violation("a buffer was unmapped while CUPTI held it");
    current_ = {};
  }
  while (!current_.exists() || !current_.fits(record)) {
    if (current_.exists()) full_.push_back(std::exchange(current_, {}));
    if (!ask_client(lock)) {
      count_drop();
      return;
    }
  }
  current_.write(record);
}

// Another thread may have got a buffer meanwhile: then this one becomes the current one and that
// one leaves as it is, as CUPTI does with buffers that are not full.
bool BufferQueue::ask_client(Lock& lock) {
  lock.unlock();
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  std::size_t max_records = 0;
  {
    CallbackScope scope;
    request_.load(std::memory_order_acquire)(&data, &size, &max_records);
  }
  requested_.fetch_add(1, std::memory_order_relaxed);
  lock.lock();
  if (data == nullptr) {
    if (!layout_.null_buffer_allowed) log_.violation("NULL buffer, which this version cannot take");
    log_.event("buffer request declined");
    return false;
  }
  if (!acceptable(data, size)) return false;
  if (current_.exists()) full_.push_back(std::exchange(current_, {}));
  current_ = Buffer(data, size, max_records);
  lent_[data] = size;
  return true;
}

bool BufferQueue::acceptable(const std::uint8_t* data, std::size_t size) {
  if (reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0) {
    log_.violation("buffer not aligned to 64 bytes");
  }
  if (size < kSmallestBuffer) {
    log_.violation("buffer of " + std::to_string(size) + " bytes is too small");
    return false;
  }
  const auto held = [&](const Buffer& b) { return b.exists() && b.overlaps(data, size); };
  if (held(current_) || std::any_of(full_.begin(), full_.end(), held) ||
      std::any_of(leaving_.begin(), leaving_.end(), held)) {
    log_.violation("buffer handed out again while CUPTI holds it");
    return false;
  }
  return true;
}

// Full buffers without an incomplete record. Caller holds the lock.
std::vector<Buffer> BufferQueue::take_full() {
  const std::uint64_t now = steady_ns();
  const auto ready = std::stable_partition(full_.begin(), full_.end(),
                                           [&](const Buffer& b) { return !b.complete(now); });
  std::vector<Buffer> out(std::make_move_iterator(ready), std::make_move_iterator(full_.end()));
  full_.erase(ready, full_.end());
  for (const Buffer& buffer : out) check(buffer);
  return out;
}

void BufferQueue::check(const Buffer& buffer) {
  if (!buffer.mapped()) {
    log_.violation("a buffer was unmapped while CUPTI held it");
  } else if (!buffer.intact()) {
    log_.violation("a buffer changed while CUPTI held it");
  }
}

void BufferQueue::check_held() {
  const Lock lock(mutex_);
  if (current_.exists()) check(current_);
  for (const Buffer& buffer : full_) check(buffer);
  for (const Buffer& buffer : leaving_) check(buffer);
}

std::uint64_t BufferQueue::lent_bytes() {
  const Lock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [data, size] : lent_) bytes += size;
  return bytes;
}

void BufferQueue::flush(bool forced) {
  Lock lock(mutex_);
  if (!staged_.empty()) write_staged(lock);
  const std::uint64_t now = steady_ns();
  std::vector<Buffer> ready = take_full();
  if (forced) {
    for (Buffer& buffer : full_) {
      check(buffer);
      ready.push_back(std::move(buffer));
    }
    full_.clear();
  }
  if (current_.exists() && (forced || (current_.records() > 0 && current_.complete(now)))) {
    check(current_);
    ready.push_back(std::exchange(current_, {}));
  }
  if (options_.shuffle_seed != 0) std::shuffle(ready.begin(), ready.end(), random_);
  for (Buffer& buffer : ready) buffer.blank_incomplete(now);
  if (options_.delivery != Delivery::worker) {
    lock.unlock();
    for (Buffer& buffer : ready) give(buffer);
    return;
  }
  start_worker();
  for (Buffer& buffer : ready) leaving_.push_back(std::move(buffer));
  const std::uint64_t order = ++orders_;
  wake_worker_.notify_one();
  wake_flush_.wait(lock, [&] { return orders_done_ >= order; });
}

// After this the buffer is the client's: nothing here may touch it.
void BufferQueue::give(Buffer& buffer) {
  delivered_.fetch_add(buffer.records(), std::memory_order_relaxed);
  if (given_.fetch_add(1, std::memory_order_relaxed) + 1 == options_.torn_buffer) buffer.tear();
  CallbackScope scope;
  complete_.load(std::memory_order_acquire)(nullptr, 0, buffer.data(), buffer.size(),
                                            buffer.used());
}

void BufferQueue::start_worker() {
  if (worker_started_) return;
  worker_started_ = true;
  std::thread([this] { work(); }).detach();
}

void BufferQueue::work() {
  Lock lock(mutex_);
  for (;;) {
    const std::uint64_t order = orders_;
    std::vector<Buffer> ready = take_full();
    ready.insert(ready.end(), std::make_move_iterator(leaving_.begin()),
                 std::make_move_iterator(leaving_.end()));
    leaving_.clear();
    lock.unlock();
    for (Buffer& buffer : ready) give(buffer);
    lock.lock();
    orders_done_ = order;
    wake_flush_.notify_all();
    if (orders_ == order) wake_worker_.wait_for(lock, std::chrono::milliseconds(5));
  }
}

}  // namespace fake_cupti
