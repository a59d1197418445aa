#include <atomic>
#include <thread>

#include "catch.h"
#include "runtime/clock.h"
#include "runtime/wake.h"

using namespace gapscope;

TEST_CASE("a wake before the sleep is not lost") {
  Wake wake;
  wake.wake();
  wake.sleep(Wake::kForever, true);  // would hang otherwise
  CHECK_FALSE(wake.is_deep());
}

TEST_CASE("a sleep ends by itself at its time-out") {
  Wake wake;
  const auto begin = monotonic_ns();
  wake.sleep(5'000'000, false);
  CHECK(monotonic_ns() - begin >= 4'000'000);
}

TEST_CASE("a deep sleeper is seen as such and woken from another thread") {
  Wake wake;
  std::atomic<int> rounds{0};
  std::thread sleeper([&] {
    for (int i = 0; i < 200; ++i) {
      wake.sleep(Wake::kForever, true);
      rounds.fetch_add(1);
    }
  });
  while (rounds.load() < 200) {
    if (wake.is_deep()) wake.wake();
    std::this_thread::yield();
  }
  sleeper.join();
  CHECK(rounds.load() == 200);
}
