// Ranges as evidence: a program without Python frames names its idle time by its ranges.
#include "analysis/frame_rules.h"
#include "analysis_causes_host.h"
#include "catch.h"

using namespace gapscope;

namespace {

// A thread that launches at 0 and again after 30 ms, and runs on a CPU in between.
Host busy_host() {
  Host host;
  host.call(0, 5 * kUs);
  host.sample(0, 10 * kMs, {}, true);
  host.sample(10 * kMs, 20 * kMs, {}, true);
  host.sample(20 * kMs, 30 * kMs, {}, true);
  return host;
}

CauseSlices ask(Host& host) {
  host.call(30 * kMs, 30 * kMs + 5 * kUs);
  return host.ask(10 * kUs, 30 * kMs + 6 * kUs, 30 * kMs, 30 * kMs + 5 * kUs);
}

constexpr std::int64_t kStretch = 30 * kMs - 10 * kUs;

}  // namespace

TEST_CASE("a thread on a CPU without frame and range: unattributed, and told which thread") {
  Host host = busy_host();
  auto info = make_record<ThreadInfoRecord>(0);
  info.os_thread_id = 17;
  info.name_id = host.string("trainer");
  host.evidence.add(info);
  const auto slices = ask(host);
  CHECK(of(slices, Cause::unattributed) == kStretch);
  CHECK(words(host, slices, Cause::unattributed) == "thread trainer on a CPU, in no range");
}

TEST_CASE("a thread on a CPU in a range: the range names it") {
  Host host = busy_host();
  host.push(0, "step");
  host.push(kUs, "augment, seq = 12");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::host) == kStretch);
  CHECK(of(slices, Cause::unattributed) == 0);
  CHECK(words(host, slices, Cause::host) == "range augment, on a CPU");
}

TEST_CASE("a stretch is cut where its ranges change") {
  Host host = busy_host();
  host.push(0, "one");
  host.pop(12 * kMs);
  host.push(12 * kMs, "two");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::host) == kStretch);
  REQUIRE(slices.size() >= 2);
  CHECK(words(host, slices, Cause::host) == "range one, on a CPU");
  CHECK(slices[0].ns == 12 * kMs - 10 * kUs);
  CHECK(slices[1].ns == 18 * kMs);
}

TEST_CASE("a range that loads data: input pipeline, also below others and over plain frames") {
  Host host;
  host.call(0, 5 * kUs);
  host.push(0, "step");
  host.push(kUs, "next_batch");
  SECTION("running without frames") { host.sample(0, 30 * kMs, {}, true); }
  SECTION("in frames that say nothing of it") {
    host.sample(0, 30 * kMs, {"/home/u/my.py:decode:12"}, true);
  }
  SECTION("blocked in a socket") { host.sample(0, 30 * kMs, {}, false, "recvfrom(socket)"); }
  const auto slices = ask(host);
  CHECK(of(slices, Cause::input_pipeline) == kStretch);
  CHECK(words(host, slices, Cause::input_pipeline).find("range next_batch") != std::string::npos);
}

TEST_CASE("a stall in a range, seen from its second sample on, is named throughout") {
  Host host;
  host.push(0, "stall");
  host.call(0, 5 * kUs);
  SECTION("the first sample owes its time on a CPU to what was before the stall") {
    host.sample(-1500 * kUs, 500 * kUs, {}, true);
  }
  SECTION("the first sample does not know what blocked it") { host.sample(0, 1 * kMs, {}, false); }
  host.sample(1 * kMs, 29 * kMs, {}, false, "clock_nanosleep");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::host) == kStretch);
  CHECK(slices.size() == 2);  // and the launch itself
  CHECK(words(host, slices, Cause::host) == "clock_nanosleep in range stall");
}

TEST_CASE("ranges of other threads, closed ones and later ones name nothing") {
  Host host = busy_host();
  host.push(0, "mine");
  host.pop(5 * kUs);
  host.push(6 * kUs, "theirs", 1);
  host.push(30 * kMs, "later");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::unattributed) == kStretch);
}

TEST_CASE("without any sample a range still names the stretch") {
  Host host;
  host.call(0, 5 * kUs);
  host.push(0, "checkpoint");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::host) == kStretch);
  CHECK(words(host, slices, Cause::host) == "range checkpoint");
}

TEST_CASE("collections, blocked waits and plain frames keep their own words") {
  Host host;
  host.call(0, 5 * kUs);
  host.push(0, "step");
  SECTION("frames") {
    host.sample(0, 30 * kMs, {"/home/u/my.py:work:12"}, true);
    CHECK(words(host, ask(host), Cause::host) == "my.py:work");
  }
  SECTION("a wait, with the range added") {
    host.sample(0, 30 * kMs, {}, false, "read(file)");
    const auto slices = ask(host);
    CHECK(of(slices, Cause::host) == kStretch);
    CHECK(words(host, slices, Cause::host) == "read(file) in range step");
  }
  SECTION("a collection") {
    host.sample(0, 30 * kMs, {}, true);
    host.collection(10 * kUs, 30 * kMs, 2);
    CHECK(of(ask(host), Cause::garbage_collection) == kStretch);
  }
}

TEST_CASE("reading a file is no waiting for work from outside; a pipe and a socket are") {
  CHECK(!waits_for_outside("read(file)"));
  CHECK(waits_for_outside("read(pipe)"));
  CHECK(waits_for_outside("recvfrom(socket)"));
}

TEST_CASE("a range that loads data says nothing of the ranges inside it") {
  Host host = busy_host();
  host.push(0, "data");
  host.push(kUs, "optimizer");
  const auto slices = ask(host);
  CHECK(of(slices, Cause::input_pipeline) == 0);
  CHECK(words(host, slices, Cause::host) == "range optimizer, on a CPU");
}

TEST_CASE("names of ranges that load data") {
  for (const char* name :
       {"data", "Data ", "[data]", "dataloader", "DataLoader.next", "load_batch", "next batch",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "next_batch, seq = 3"}) {
    INFO(name);
    CHECK(loads_input(name));
  }
  for (const char* name :
       {"forward", "data parallel", "batch", "load", "batch_norm", "BatchNorm2d", "metadata_load",
        "optimizer.load_state", "FSDP::backward_prefetch for layers.3", "offload_data",
        "upload data", "training loop over dataloader", "train(dataloader)", "get_batch_stats",
        "target_data", "weight_prefetch", "cudaMemPrefetchAsync", ""}) {
    INFO(name);
    CHECK(!loads_input(name));
  }
}
