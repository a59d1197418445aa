#include "host/host_sampler.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "catch.h"
#include "runtime/clock.h"

namespace gapscope {
namespace {

bool make_thread(pthread_t* thread, void* (*entry)(void*), void* argument, const char*) {
  return pthread_create(thread, nullptr, entry, argument) == 0;
}

HostOptions options() {
  HostOptions o;
  o.period_ns = 1'000'000;
  o.start_thread = &make_thread;
  return o;
}

struct Seen : RecordSink {
  std::vector<ThreadSampleRecord> samples;
  std::map<std::string, std::uint32_t> ids{{"", 0}};
  std::map<std::uint32_t, std::string> texts;
  void consume(const RecordHeader& header) override {
    if (header.kind == RecordKind::thread_sample) {
      samples.push_back(record_cast<ThreadSampleRecord>(header));
    }
  }
  void drain(HostSampler& sampler) {
    sampler.drain(*this, [this](std::string_view text) {
      const auto id = static_cast<std::uint32_t>(ids.size());
      const auto it = ids.emplace(std::string(text), id).first;
      texts[it->second] = it->first;
      return it->second;
    });
  }
};

std::uint32_t own_tid() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

// Lets the sampler look until a sample is as wanted; the samples seen meanwhile.
template <typename F>
bool wait_for_sample(HostSampler& sampler, Seen& seen, F&& wanted) {
  for (int i = 0; i < 5000; ++i) {
    usleep(2000);
    seen.drain(sampler);
    for (const ThreadSampleRecord& sample : seen.samples) {
      if (wanted(sample)) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("a program without Python is sampled for state and wait") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  CHECK(sampler.python_state() == "no Python");
  CHECK(sampler.sampled_until_ns() == ~std::uint64_t{0});
  sampler.set_active(true);
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::atomic<std::uint32_t> tid{0};
  std::thread blocked([&] {
    tid = own_tid();
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return done; });
  });
  std::atomic<bool> stop{false};
  std::atomic<std::uint32_t> busy_tid{0};
  std::thread busy([&] {
    busy_tid = own_tid();
    while (!stop.load(std::memory_order_relaxed)) {
    }
  });
  while (tid == 0 || busy_tid == 0) usleep(100);
  sampler.watch(3, tid, nullptr);
  sampler.watch(4, busy_tid, nullptr);
  Seen seen;
  CHECK(wait_for_sample(sampler, seen, [&](const ThreadSampleRecord& s) {
    return s.header.thread == 3 && s.on_cpu_ns == 0 && s.state == 'S';
  }));
  CHECK(wait_for_sample(sampler, seen, [&](const ThreadSampleRecord& s) {
    return s.header.thread == 4 && s.state == 'R' && 2 * s.on_cpu_ns > s.end_ns - s.begin_ns;
  }));
  // Who runs while the other waits for a lock is the one that is waited for, as a guess.
  CHECK(wait_for_sample(sampler, seen, [&](const ThreadSampleRecord& s) {
    return s.header.thread == 3 && s.waits_for == 4 && s.waits_for_os_thread == busy_tid &&
           (s.header.flags & kSampleWaitGuess) != 0 && seen.texts[s.wait_id] == "futex";
  }));
  for (const ThreadSampleRecord& s : seen.samples) {
    CHECK(s.begin_ns < s.end_ns);
    CHECK(s.on_cpu_ns <= s.end_ns - s.begin_ns);
  }
  stop = true;
  busy.join();
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_all();
  blocked.join();
  CHECK(sampler.stop(10'000'000'000));
}

TEST_CASE("samples of a thread follow each other without a hole while active") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  sampler.set_active(true);
  sampler.watch(0, own_tid(), nullptr);
  Seen seen;
  REQUIRE(wait_for_sample(sampler, seen,
                          [&](const ThreadSampleRecord&) { return seen.samples.size() > 30; }));
  for (std::size_t i = 1; i < seen.samples.size(); ++i) {
    CHECK(seen.samples[i].begin_ns == seen.samples[i - 1].end_ns);
  }
  const std::uint64_t until = sampler.sampled_until_ns();
  seen.drain(sampler);
  CHECK(seen.samples.back().end_ns >= until);  // what is promised was handed over
  CHECK(sampler.stop(10'000'000'000));
}

TEST_CASE("an inactive sampler does nothing") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  sampler.watch(0, own_tid(), nullptr);
  usleep(50'000);
  Seen seen;
  seen.drain(sampler);
  CHECK(seen.samples.empty());
  CHECK(sampler.cpu_ns() == 0);
  sampler.set_active(true);
  CHECK(wait_for_sample(sampler, seen, [](const ThreadSampleRecord&) { return true; }));
  sampler.set_active(false);
  usleep(100'000);
  seen.drain(sampler);
  const std::size_t count = seen.samples.size();
  const std::uint64_t paused = now_ns();
  usleep(50'000);
  seen.drain(sampler);
  CHECK(seen.samples.size() == count);
  sampler.set_active(true);
  CHECK(wait_for_sample(sampler, seen, [&](const ThreadSampleRecord& s) {
    return s.begin_ns >= paused;  // the pause itself is in no sample
  }));
  for (std::size_t i = count; i < seen.samples.size(); ++i) {
    CHECK(seen.samples[i].begin_ns >= paused);
  }
  CHECK(sampler.stop(10'000'000'000));
}

TEST_CASE("calls in the thread's ring are noticed, and a call in progress is marked") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  sampler.set_active(true);
  ThreadRing ring(64 << 10);
  ring.in_call_since_ns = now_ns();
  sampler.watch(0, own_tid(), &ring);
  Seen seen;
  CHECK(wait_for_sample(sampler, seen, [](const ThreadSampleRecord& s) {
    return (s.header.flags & kSampleInCall) != 0;
  }));
  ring.in_call_since_ns = 0;
  CHECK(wait_for_sample(sampler, seen, [](const ThreadSampleRecord& s) {
    return (s.header.flags & kSampleInCall) == 0;
  }));
  CHECK(sampler.stop(10'000'000'000));
}

TEST_CASE("a thread that ends is forgotten") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  sampler.set_active(true);
  std::atomic<bool> stop{false};
  std::atomic<std::uint32_t> tid{0};
  std::thread thread([&] {
    tid = own_tid();
    while (!stop) usleep(1000);
  });
  while (tid == 0) usleep(100);
  sampler.watch(1, tid, nullptr);
  sampler.watch(2, own_tid(), nullptr);
  Seen seen;
  REQUIRE(wait_for_sample(sampler, seen,
                          [](const ThreadSampleRecord& s) { return s.header.thread == 1; }));
  stop = true;
  thread.join();
  usleep(50'000);
  seen.drain(sampler);
  seen.samples.clear();
  REQUIRE(wait_for_sample(sampler, seen,
                          [](const ThreadSampleRecord& s) { return s.header.thread == 2; }));
  for (const ThreadSampleRecord& s : seen.samples) CHECK(s.header.thread == 2);
  CHECK(sampler.stop(10'000'000'000));
}

TEST_CASE("a forked child has nothing to do with the parent's sampler") {
  HostSampler sampler(options());
  REQUIRE(sampler.start());
  sampler.set_active(true);
  sampler.watch(0, own_tid(), nullptr);
  const pid_t child = fork();
  if (child == 0) {
    sampler.forget_after_fork();
    _exit(sampler.stop(1'000'000) ? 5 : 6);  // nothing to stop
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(sampler.stop(10'000'000'000));
}

}  // namespace gapscope
