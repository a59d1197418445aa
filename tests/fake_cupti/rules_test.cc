// The fake sees a client that breaks the rules: each rule is broken here once, on purpose, so that
// a log without violations means something. Each case in a process of its own.
//
// The reports that the rules come from are named at each.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "selftest_client.h"

using fake_cupti::Client;

namespace {

using Texts = std::vector<std::string>;

// A client that allocates and locks nothing by itself, and what the fake says of it.
class Breaker {
 public:
  explicit Breaker(const char* library = FAKE_CUPTI_13) {
    const int file = mkstemp(log_);
    REQUIRE(file >= 0);
    close(file);
    setenv("FAKE_CUPTI_LOG", log_, 1);
    client_ = std::make_unique<Client>(library);
    client_->reads = false;
    client_->lends = [this](std::size_t*) { return next_buffer(); };
  }
  ~Breaker() { unlink(log_); }
  Client* operator->() { return client_.get(); }

  std::uint8_t* next_buffer() { return store_[lent_++ % kBuffers]; }
  std::uint8_t* last_buffer() { return store_[(lent_ - 1) % kBuffers]; }
  void lend(std::function<std::uint8_t*(std::size_t*)> how) { client_->lends = std::move(how); }
  void launches(int count) {
    for (int i = 0; i < count; ++i) client_->launch(100);
  }
  void flush(std::uint32_t flags = 0) {
    client_->fake_wait_idle();
    client_->flush(flags);
  }

  // The rules broken since the last look.
  Texts broken() {
    std::ifstream log(log_);
    const std::string mark = "violation: ";
    Texts all;
    for (std::string line; std::getline(log, line);) {
      if (line.rfind(mark, 0) != 0) continue;
      all.push_back(line.substr(mark.size(), line.rfind(" [pid ") - mark.size()));
    }
    CHECK(client_->fake_violations() <= all.size());
    const Texts fresh(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end());
    seen_ = all.size();
    return fresh;
  }

 private:
  static constexpr std::size_t kBuffers = 32;
  alignas(4096) static inline std::uint8_t store_[kBuffers][Client::kBytes];
  char log_[32] = "/tmp/fake_cupti_rules_XXXXXX";
  std::unique_ptr<Client> client_;
  std::size_t lent_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace

TEST_CASE("rules: a client that keeps them all") {
  Breaker client;
  client->start();
  client.launches(200);
  client.flush();
  client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  CHECK(client.broken() == Texts{});
}

TEST_CASE("rules: a CUPTI call inside a callback") {
  Breaker client;
  client->start();
  bool called = false;  // in the first one alone: where the fake complains it allocates
  client->in_callback = [&] {
    std::uint64_t now = 0;
    if (!called) client->cuptiGetTimestamp(&now);
    called = true;
  };
  client.launches(1);
  CHECK(client.broken() == Texts{"cuptiGetTimestamp called inside a callback"});
}

// HPCToolkit#195, HPCToolkit#326.
TEST_CASE("rules: a CUPTI call in a forked child") {
  Breaker client;
  client->start();
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t now = 0;
    client->cuptiGetTimestamp(&now);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(client.broken() == Texts{"cuptiGetTimestamp called in a forked child"});
}

// pytorch/kineto#1020: the request for a buffer comes inside a launch.
TEST_CASE("rules: an allocation inside a callback, but for a thread's first") {
  Breaker client;
  client->start();
  std::vector<std::unique_ptr<int>> kept(8);
  std::size_t next = 0;
  client->in_callback = [&] {
    if (next < 1) kept[next++] = std::make_unique<int>(1);
  };
  client.launches(2);
  CHECK(client.broken() == Texts{});
  client->in_callback = [&] {
    if (next < 2) kept[next++] = std::make_unique<int>(2);
  };
  client.launches(1);
  CHECK(client.broken() == Texts{"allocation inside an API callback"});
  client->in_callback = nullptr;
  client.flush();
  client.lend([](std::size_t*) {
    return static_cast<std::uint8_t*>(std::aligned_alloc(64, Client::kBytes));
  });
  client.launches(1);
  CHECK(client.broken() == Texts{"allocation inside a buffer callback"});
  client.flush();
  client.lend([](std::size_t*) {
    return static_cast<std::uint8_t*>(
        mmap(nullptr, Client::kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  });
  client.launches(1);
  CHECK(client.broken() == Texts{"allocation inside a buffer callback"});
}

// pytorch/kineto#1347.
TEST_CASE("rules: a lock taken inside a callback, a CUPTI call while one is held") {
  Breaker client;
  client->start();
  client.launches(1);
  std::mutex mutex;
  client->in_callback = [&] { const std::lock_guard lock(mutex); };
  client.launches(1);
  CHECK(client.broken() == Texts(2, "lock taken inside an API callback"));
  client->in_callback = nullptr;
  {
    const std::lock_guard lock(mutex);
    client->cuptiActivityFlushAll(0);
  }
  CHECK(client.broken() == Texts{"cuptiActivityFlushAll called while a lock is held"});
  client->cuptiActivityFlushAll(0);
  CHECK(client.broken() == Texts{});
}

// A machine with many GPUs stays in cuInit for seconds: a flush from another thread deadlocks.
TEST_CASE("rules: a flush before CUDA is up") {
  Breaker client;
  client->start(false);
  client.flush();
  CHECK(client.broken() == Texts{"flush before CUDA is up: deadlock"});
}

// pytorch/pytorch#195844: a forced flush hands out what is not finished; it belongs at the end.
TEST_CASE("rules: a forced flush before the end, and a second one") {
  Breaker client;
  client->start();
  client.launches(1);
  client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  CHECK(client.broken() == Texts{});
  client.launches(1);
  client.flush();
  CHECK(client.broken() == Texts{"flush after the forced one: that belongs at the end"});
  client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  CHECK(client.broken() == Texts{"second forced flush"});
}

// pytorch/kineto#686, jax-ml/jax#40260.
TEST_CASE("rules: cuptiFinalize") {
  Breaker client;
  client->start();
  client->cuptiFinalize();
  CHECK(client.broken() == Texts{"cuptiFinalize called"});
}

// pytorch/pytorch#146604: a kind that is toggled.
TEST_CASE("rules: taken back once the program has called") {
  Breaker client;
  client->start();
  client->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET);
  CHECK(client.broken() == Texts{});  // nothing has run yet
  client.launches(1);
  client->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET);
  client->cuptiUnsubscribe(client->handle());
  CHECK(client.broken() == Texts{"activity kind toggled", "unsubscribed"});
  client->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  CHECK(client.broken() == Texts{"activity kind 2 enabled without subscriber"});
}

TEST_CASE("rules: what costs every launch, or serialises them") {
  Breaker client;
  client->start();
  client->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  client->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
  client->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
  client->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  client->cuptiEnableCallback(1, client->handle(), CUPTI_CB_DOMAIN_RUNTIME_API, 1);
  client->cuptiEnableDomain(1, client->handle(), CUPTI_CB_DOMAIN_DRIVER_API);
  const std::string api = "API activity enabled: it doubles the cost of a launch";
  CHECK(client.broken() == Texts{"SYNCHRONIZATION enabled: it costs every launch",
                                 "KERNEL enabled: it serialises kernels", api, api,
                                 "runtime domain enabled: the driver domain alone is to be used",
                                 "whole driver domain enabled instead of single calls"});
}

// pytorch/pytorch#192021.
TEST_CASE("rules: a timestamp callback") {
  Breaker client;
  client->start();
  client->cuptiActivityRegisterTimestampCallback(nullptr);
  CHECK(client.broken() == Texts{"timestamp callback registered"});
}

TEST_CASE("rules: buffer callbacks registered twice") {
  Breaker client;
  client->start();
  const auto request = [](std::uint8_t**, std::size_t*, std::size_t*) {};
  const auto complete = [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {};
  client->cuptiActivityRegisterCallbacks(request, complete);
  CHECK(client.broken() == Texts{"buffer callbacks registered twice"});
}

// pytorch/kineto#1275.
TEST_CASE("rules: no buffer, where this version cannot take that") {
  const auto decline = [](std::size_t* size) {
    *size = 0;
    return static_cast<std::uint8_t*>(nullptr);
  };
  SECTION("12.8 crashes") {
    Breaker client(FAKE_CUPTI_12);
    client->start();
    client.lend(decline);
    client.launches(1);
    CHECK(client.broken() == Texts{"NULL buffer, which this version cannot take"});
  }
  SECTION("13 drops the record") {
    setenv("FAKE_CUPTI_DELIVERY", "flush", 1);
    Breaker client;
    client->start();
    client.lend(decline);
    client.launches(1);
    CHECK(client.broken() == Texts{});
  }
}

TEST_CASE("rules: a buffer that is crooked or too small") {
  Breaker client;
  client->start();
  client.lend([&](std::size_t* size) {
    *size -= 64;
    return client.next_buffer() + 8;
  });
  client.launches(1);
  CHECK(client.broken() == Texts{"buffer not aligned to 64 bytes"});
  client.flush();
  client.lend([&](std::size_t* size) {
    *size = 1024;
    return client.next_buffer();
  });
  client.launches(1);
  CHECK(client.broken() == Texts{"buffer of 1024 bytes is too small"});
}

// pytorch/pytorch#195207: a buffer that CUPTI holds is neither freed nor used again.
TEST_CASE("rules: a buffer handed out again while CUPTI holds it") {
  setenv("FAKE_CUPTI_DELIVERY", "flush", 1);  // full ones are held until then
  Breaker client;
  client->start();
  client.launches(1);
  client.lend([&](std::size_t*) { return client.last_buffer(); });
  client.launches(200);
  CHECK(client.broken().at(0) == "buffer handed out again while CUPTI holds it");
}

TEST_CASE("rules: a buffer that changed while CUPTI held it") {
  Breaker client;
  client->start();
  client.launches(1);
  std::memset(client.last_buffer(), 1, 16);  // what free() does to it
  client.flush();
  CHECK(client.broken() == Texts{"a buffer changed while CUPTI held it"});
}

TEST_CASE("rules: a buffer unmapped while CUPTI held it") {
  Breaker client;
  client->start();
  void* memory =
      mmap(nullptr, Client::kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  client.lend([&](std::size_t*) { return static_cast<std::uint8_t*>(memory); });
  client.launches(1);
  client.lend([&](std::size_t*) { return client.next_buffer(); });
  munmap(memory, Client::kBytes);
  client.launches(1);
  CHECK(client.broken() == Texts{"a buffer was unmapped while CUPTI held it"});
}

TEST_CASE("rules: a CUPTI call after a fatal error") {
  Breaker client;
  client->start();
  client->fake_fatal_error("gone");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  client.flush();
  CHECK(client.broken() == Texts{"cuptiActivityFlushAll called after a fatal error"});
}
