// Each cause on its own, and pairs of them that compete for the same gap.
#include <string>
#include <vector>

#include "analysis/cause_tally.h"
#include "analysis/frame_rules.h"
#include "analysis_causes_host.h"
#include "catch.h"

using namespace gapscope;

TEST_CASE("a queued operation: spacing below 5 us, dependency above") {
  Host host;
  host.call(0, 5 * kUs);
  CHECK(of(host.ask(10 * kUs, 12 * kUs, 0, 5 * kUs), Cause::spacing) == 2 * kUs);
  CHECK(of(host.ask(10 * kUs, 90 * kUs, 0, 5 * kUs), Cause::dependency) == 80 * kUs);
}

TEST_CASE("the host busy with launching: launch-bound, in gaps of any length") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(15 * kUs, 20 * kUs);
  CHECK(of(host.ask(8 * kUs, 22 * kUs, 15 * kUs, 20 * kUs), Cause::launch_bound) == 14 * kUs);
}

TEST_CASE("a graph traced node by node: what tracing adds to its launch is the profiler's") {
  Host host;
  host.call(0, 10 * kUs);
  host.call(20 * kUs, 1025 * kUs, ApiId::graph_launch, false, 0, 500);
  // 59 % of what it took above 5 us: 590 us, over all gaps under it.
  auto slices = host.ask(120 * kUs, 620 * kUs, 20 * kUs, 1025 * kUs);
  CHECK(of(slices, Cause::profiler) == 500 * kUs);
  CHECK(words(host, slices, Cause::profiler) == "tracing the nodes of cudaGraphLaunch");
  slices = host.ask(700 * kUs, 900 * kUs, 20 * kUs, 1025 * kUs);
  CHECK(of(slices, Cause::profiler) == 90 * kUs);
  CHECK(of(slices, Cause::launch_bound) == 110 * kUs);
  slices = host.ask(950 * kUs, 960 * kUs, 20 * kUs, 1025 * kUs);
  CHECK(of(slices, Cause::launch_bound) == 10 * kUs);
  // Two nodes whose launch takes 3 ms (a first launch, an upload): tracing two nodes did not.
  Host small;
  small.call(0, 10 * kUs);
  small.call(20 * kUs, 3020 * kUs, ApiId::graph_launch, false, 0, 2);
  CHECK(of(small.ask(120 * kUs, 3010 * kUs, 20 * kUs, 3020 * kUs), Cause::profiler) <= 14 * kUs);
  // One record: the graph is traced as a whole.
  Host whole;
  whole.call(0, 10 * kUs);
  whole.call(20 * kUs, 1025 * kUs, ApiId::graph_launch);
  CHECK(of(whole.ask(120 * kUs, 620 * kUs, 20 * kUs, 1025 * kUs), Cause::launch_bound) ==
        500 * kUs);
}

TEST_CASE("a blocking call under way when the device runs dry owns the gap") {
  Host host;
  host.call(0, 5 * kUs);
  host.sync(6 * kUs, 110 * kUs);
  host.call(140 * kUs, 145 * kUs);
  const auto slices = host.ask(100 * kUs, 148 * kUs, 140 * kUs, 145 * kUs);
  CHECK(of(slices, Cause::synchronisation) == 48 * kUs);
  CHECK(words(host, slices, Cause::synchronisation) == "cudaStreamSynchronize");
}

TEST_CASE("a blocking call on a device that was idle already owns its own time only") {
  Host host;
  host.call(0, 5 * kUs);
  host.sync(300 * kUs, 310 * kUs);
  host.call(400 * kUs, 405 * kUs);
  const auto slices = host.ask(100 * kUs, 410 * kUs, 400 * kUs, 405 * kUs);
  CHECK(of(slices, Cause::synchronisation) == 10 * kUs);
  CHECK(of(slices, Cause::launch_bound) == 300 * kUs);
}

TEST_CASE("the data loader in the training thread, after a synchronisation") {
  Host host;
  host.call(0, 5 * kUs);
  host.sync(6 * kUs, 105 * kUs);
  host.call(30 * kMs, 30 * kMs + 5 * kUs);
  for (std::int64_t t = 2 * kMs; t < 30 * kMs; t += 2 * kMs) {
    host.sample(t, t + 2 * kMs,
                {"/x/PIL/Image.py:convert:3", "/x/torch/utils/data/dataloader.py:__next__:7",
                 "train.py:main:1"});
  }
  const auto slices = host.ask(100 * kUs, 30 * kMs + 10 * kUs, 30 * kMs, 30 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::synchronisation) == 5 * kUs);
  CHECK(of(slices, Cause::input_pipeline) == 30 * kMs - 105 * kUs);
  CHECK(words(host, slices, Cause::input_pipeline) == "dataloader.py:__next__ > Image.py:convert");
}

TEST_CASE("blocked on the workers' queue is the input pipeline too") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(20 * kMs, 20 * kMs + 5 * kUs);
  host.sample(2 * kMs, 20 * kMs,
              {"/p/threading.py:wait:1", "/p/multiprocessing/queues.py:get:2",
               "/x/torch/utils/data/dataloader.py:_try_get_data:9"},
              false, "futex");
  const auto slices = host.ask(10 * kUs, 20 * kMs + 8 * kUs, 20 * kMs, 20 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::input_pipeline) > 19 * kMs);
}

TEST_CASE("a collection inside a stretch takes its time from the frames that trigger it") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(40 * kMs, 40 * kMs + 5 * kUs);
  host.collection(10 * kMs, 30 * kMs, 2);
  host.sample(2 * kMs, 40 * kMs, {"/x/serve.py:decode:3"});
  const auto slices = host.ask(10 * kUs, 40 * kMs, 40 * kMs, 40 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::garbage_collection) == 20 * kMs);
  CHECK(words(host, slices, Cause::garbage_collection) == "generation 2");
  CHECK(of(slices, Cause::host) == 20 * kMs - 10 * kUs);
  CHECK(words(host, slices, Cause::host) == "serve.py:decode");
}

TEST_CASE("loading, allocating and compiling are named by their call") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(20 * kUs, 800 * kUs, ApiId::library_load);
  host.call(810 * kUs, 900 * kUs, ApiId::malloc_);
  host.call(910 * kUs, 915 * kUs);
  const auto slices = host.ask(10 * kUs, 918 * kUs, 910 * kUs, 915 * kUs);
  CHECK(of(slices, Cause::compilation) == 780 * kUs);
  CHECK(of(slices, Cause::allocation) == 90 * kUs);
  CHECK(words(host, slices, Cause::allocation) == "cudaMalloc");
  CHECK(of(slices, Cause::launch_bound) == 38 * kUs);
}

TEST_CASE("a flush of the profiler counts where it holds up a launching thread, nowhere else") {
  Host host;
  auto info = make_record<ThreadInfoRecord>(0);
  info.os_thread_id = 77;
  host.evidence.add(info);
  host.call(0, 5 * kUs);
  host.call(100 * kUs, 105 * kUs);
  host.overhead(20 * kUs, 50 * kUs, OverheadType::buffer_flush, 78);
  host.overhead(60 * kUs, 70 * kUs, OverheadType::buffer_flush, 77);
  const auto slices = host.ask(10 * kUs, 108 * kUs, 100 * kUs, 105 * kUs);
  CHECK(of(slices, Cause::profiler) == 10 * kUs);
  CHECK(of(slices, Cause::launch_bound) == 88 * kUs);
}

TEST_CASE("a server that waits for requests has no work offered") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(500 * kMs, 500 * kMs + 5 * kUs);
  host.sample(2 * kMs, 500 * kMs, {"/p/selectors.py:select:4", "/p/asyncio/base_events.py:_run:1"},
              false, "epoll_wait");
  const auto slices = host.ask(10 * kUs, 500 * kMs, 500 * kMs, 500 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::no_work) == 500 * kMs - 10 * kUs);
}

TEST_CASE("a C++ program that sleeps is named by what it waits in") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(30 * kMs, 30 * kMs + 5 * kUs);
  host.sample(2 * kMs, 28 * kMs, {}, false, "clock_nanosleep");
  const auto slices = host.ask(10 * kUs, 30 * kMs, 30 * kMs, 30 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::host) == 30 * kMs - 10 * kUs);
  CHECK(words(host, slices, Cause::host) == "clock_nanosleep");
}

TEST_CASE("a long stretch without any evidence is unattributed, not blamed on somebody") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(30 * kMs, 30 * kMs + 5 * kUs);
  const auto slices = host.ask(10 * kUs, 30 * kMs, 30 * kMs, 30 * kMs + 5 * kUs);
  CHECK(of(slices, Cause::unattributed) == 30 * kMs - 10 * kUs);
}

TEST_CASE("the thread that works while the launching one waits is the one that is asked") {
  Host host;
  host.call(0, 5 * kUs, ApiId::launch_kernel, false, 0);
  host.call(10 * kMs, 10 * kMs + 5 * kUs, ApiId::launch_kernel, false, 1);
  host.sample(2 * kMs, 10 * kMs, {}, false, "futex", 1);
  host.sample(2 * kMs, 10 * kMs, {"/x/model.py:forward:1"}, true, "", 0);
  const auto slices = host.ask(10 * kUs, 10 * kMs, 10 * kMs, 10 * kMs + 5 * kUs, 1);
  CHECK(words(host, slices, Cause::host) == "model.py:forward");
}

TEST_CASE("a launch that returned long before its operation began waited on the device") {
  Host host;
  host.call(0, 5 * kUs);
  host.call(20 * kUs, 25 * kUs);
  const auto slices = host.ask(10 * kUs, 325 * kUs, 20 * kUs, 25 * kUs);
  CHECK(of(slices, Cause::dependency) == 300 * kUs);
  CHECK(of(slices, Cause::launch_bound) == 15 * kUs);
}

TEST_CASE("painting never gives time away twice and loses none") {
  Unpainted gap(0, 100);
  CHECK(gap.paint(10, 20, Cause::profiler, {}) == 10);
  CHECK(gap.paint(0, 30, Cause::compilation, {}) == 20);
  CHECK(gap.paint(15, 18, Cause::host, {}) == 0);
  CHECK(gap.paint(50, 200, Cause::host, {}) == 50);
  CHECK(gap.intervals().size() == 1);
  gap.finish(Cause::unattributed);
  CHECK(gap.empty());
  CHECK(of(gap.slices(), Cause::unattributed) == 20);
  // In order of time, without holes.
  std::string order;
  for (const CauseSlice& slice : gap.slices()) {
    order += std::string(cause_name(slice.cause)) + " " + std::to_string(slice.ns) + "; ";
  }
  CHECK(order ==
        "compilation, module loading 10; profiler 10; compilation, module loading 10; "
        "unattributed 20; host, other 50; ");
  CHECK(summed(gap.slices()).size() == 4);
  CHECK(of(summed(gap.slices()), Cause::compilation) == 20);
}

TEST_CASE("a gap in very many stretches is told by its sums") {
  Unpainted gap(0, 4000);
  for (int i = 0; i < 1000; ++i) gap.paint(4 * i, 4 * i + 1, Cause::allocation, {});
  gap.finish(Cause::launch_bound);
  CHECK(gap.slices().size() <= Unpainted::kMaxSlices);
  CHECK(of(gap.slices(), Cause::allocation) == 1000);
  CHECK(of(gap.slices(), Cause::launch_bound) == 3000);
}

TEST_CASE("the tally's entries add up to the idle time, what nobody explained included") {
  CauseTally tally;
  tally.add({{Cause::host, 70, {EvidenceRef::Kind::wait, 1, 0}}, {Cause::launch_bound, 20, {}}});
  tally.add({{Cause::host, 5, {EvidenceRef::Kind::wait, 2, 0}}});
  Timeline::Result slices;
  slices.idle_ns.resize(2);
  slices.idle_ns[1][static_cast<std::size_t>(Cause::host)] = 75;
  const auto causes = tally.report(
      100, [](const EvidenceRef& e) { return "w" + std::to_string(e.id); }, slices);
  REQUIRE(causes.size() == 3);
  CHECK(causes[0].cause == "host, other");
  CHECK(causes[0].idle_ns == 75);
  CHECK(causes[0].gaps == 2);
  CHECK(causes[0].evidence[0].text == "w1");
  CHECK(causes[0].timeline_ns == std::vector<std::int64_t>{0, 75});
  CHECK(causes[2].cause == "unattributed");
  CHECK(causes[2].idle_ns == 5);
}

TEST_CASE("frames read short and loaders are told from other code") {
  CHECK(short_frame("/a/b/dataloader.py:__next__:33") == "dataloader.py:__next__");
  CHECK(short_frame("train.py:main:3") == "train.py:main");
  CHECK(short_frame("<string>:<module>:1") == "<string>:<module>");
  CHECK(short_frame("") == "");
  CHECK(frame_kind("/s/torch/utils/data/dataloader.py:__next__:1") == FrameKind::loader);
  CHECK(frame_kind("/s/torch/_dynamo/eval_frame.py:x:1") == FrameKind::compiler);
  CHECK(frame_kind("/home/me/train.py:step:1") == FrameKind::plain);
  CHECK(frame_kind("/usr/lib/python3.12/threading.py:wait:1") == FrameKind::wait);
}
