// The fake keeps CUPTI's promises. Each case in a process of its own (ctest does that): the fake is
// one a process.
#include <string>

#include "selftest_client.h"

using fake_cupti::Client;

TEST_CASE("each launch calls back twice and leaves one record with its times") {
  Client client(FAKE_CUPTI_13);
  std::uint32_t version = 0;
  client.cuptiGetVersion(&version);
  CHECK(version == 130001);
  CHECK(client.cuptiSubscribe_v2 != nullptr);
  client.start();
  std::vector<fake_call_result> launches;
  for (int i = 0; i < 500; ++i) launches.push_back(client.launch(2000));
  client.fake_wait_idle();
  client.flush(0);
  CHECK(client.enters == 500);
  CHECK(client.exits == 500);
  REQUIRE(client.kernels.size() == 500);
  std::uint64_t before = 0;
  for (const auto& launch : launches) {
    const auto& kernel = client.kernels.at(launch.correlation_id);
    CHECK(kernel.start == launch.work.start_ns);
    CHECK(kernel.end == launch.work.end_ns);
    CHECK(kernel.end - kernel.start == 2000);
    CHECK(kernel.start >= before);
    CHECK(kernel.start >= launch.enter_ns);
    before = kernel.end;
  }
  for (const std::size_t size : client.kernel_sizes) REQUIRE(size == 216);
  CHECK(client.fake_violations() == 0);
  CHECK(client.fake_delivered() == 500);
}

TEST_CASE("the older library: its version, record size, no cuptiSubscribe_v2, unknown call ids") {
  Client client(FAKE_CUPTI_12);
  std::uint32_t version = 0;
  client.cuptiGetVersion(&version);
  CHECK(version == 26);
  CHECK(client.cuptiSubscribe_v2 == nullptr);
  client.start();
  for (int i = 0; i < 10; ++i) client.launch(1000);
  client.fake_wait_idle();
  client.flush(0);
  REQUIRE(client.kernel_sizes.size() == 9);
  for (const std::size_t size : client.kernel_sizes) CHECK(size == 208);
  CHECK(client.cuptiEnableCallback(1, nullptr, CUPTI_CB_DOMAIN_DRIVER_API,
                                   CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2) ==
        CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_CASE("a flush withholds a buffer with one incomplete record, a forced one does not") {
  Client client(FAKE_CUPTI_13);
  client.start();
  const auto done = client.launch(1000);
  const auto running = client.launch(3'600'000'000'000ull);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  client.flush(0);
  CHECK(client.kernels.empty());
  client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  REQUIRE(client.kernels.size() == 2);
  CHECK(client.kernels.at(done.correlation_id).end == done.work.end_ns);
  CHECK(client.kernels.at(running.correlation_id).end == 0);
}

TEST_CASE("scripted fates: lost, late, dropped, without and with impossible times") {
  Client client(FAKE_CUPTI_13);
  client.start();
  client.launch(1000, FAKE_LOST);
  client.launch(1000, FAKE_DROPPED);
  const auto late = client.launch(1000, FAKE_LATE);
  const auto zero = client.launch(1000, FAKE_ZERO_TIME);
  const auto sentinel = client.launch(1000, FAKE_SENTINEL);
  const auto reversed = client.launch(1000, FAKE_REVERSED);
  client.fake_wait_idle();
  client.flush(0);
  REQUIRE(client.kernels.size() == 3);
  CHECK(client.kernels.at(zero.correlation_id).start == 0);
  CHECK(client.kernels.at(sentinel.correlation_id).end == ~0ull);
  const auto& back = client.kernels.at(reversed.correlation_id);
  CHECK(back.end < back.start);
  std::size_t dropped = 0;
  client.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  CHECK(dropped == 1);
  CHECK(client.fake_release_late() == 1);
  client.flush(0);
  CHECK(client.kernels.at(late.correlation_id).start == late.work.start_ns);
}

namespace {

void lose_nothing(const char* delivery) {
  setenv("FAKE_CUPTI_DELIVERY", delivery, 1);
  setenv("FAKE_CUPTI_SHUFFLE", "7", 1);
  Client client(FAKE_CUPTI_13);
  client.start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&client] {
      for (int i = 0; i < 300; ++i) client.launch(500);
    });
  }
  for (auto& thread : threads) thread.join();
  client.fake_wait_idle();
  client.flush(0);
  CHECK(client.kernels.size() == 1200);
  CHECK(client.fake_violations() == 0);
}

}  // namespace

TEST_CASE("out of order on the fake's own thread: nothing is lost") { lose_nothing("worker"); }

TEST_CASE("out of order on the flushing thread: nothing is lost") { lose_nothing("flush"); }

TEST_CASE("out of order on the launching thread: nothing is lost") { lose_nothing("launch"); }

TEST_CASE("subscribe fails as told") {
  setenv("FAKE_CUPTI_SUBSCRIBE_RESULT", "39", 1);
  setenv("FAKE_CUPTI_OTHER_TOOL", "nsys", 1);
  Client client(FAKE_CUPTI_13);
  char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
  CUpti_SubscriberParams params{CUpti_SubscriberParams_STRUCT_SIZE, "test", other, sizeof other};
  CUpti_SubscriberHandle handle = nullptr;
  const auto callback = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CHECK(client.cuptiSubscribe_v2(&handle, callback, nullptr, &params) ==
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(std::string(other) == "nsys");
}
