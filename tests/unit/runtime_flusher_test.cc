#include "runtime/flusher.h"

#include <thread>

#include "catch.h"
#include "runtime_fake_backend.h"

namespace gapscope::test {

// pytorch#195844: it hands out what is not finished, so it comes once, and nothing is flushed after
// it.
TEST_CASE("the forced flush is the last one, though records still flow") {
  FakeBackend backend;
  Wake collector;
  Flusher flusher(backend, collector, 1'000'000);
  REQUIRE(flusher.start());
  flusher.set_active(true);
  while (backend.flushes < 3) std::this_thread::yield();
  CHECK(backend.forced == 0);
  flusher.request_forced();
  while (!flusher.forced_done()) std::this_thread::yield();
  const int flushes = backend.flushes;
  flusher.request();
  flusher.request_forced();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // of its period many
  CHECK(flusher.stop(60'000'000'000));
  CHECK(backend.flushes == flushes);
  CHECK(backend.forced == 1);
}

}  // namespace gapscope::test
