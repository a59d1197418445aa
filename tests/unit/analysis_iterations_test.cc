// Iterations found in the launches of made-up programs that are built as real ones are.
#include <random>

#include "analysis_iterations_feed.h"
#include "catch.h"

using namespace gapscope;
using namespace gapscope::test;

namespace {

void layers(LoopFeed& feed, int count, std::uint32_t first, std::uint32_t kernels) {
  for (int i = 0; i < count; ++i) feed.kernels(first, kernels);
}

struct Training {
  int layers = 24;
  bool copies = true;     // input is copied to the device
  bool item = false;      // the loss is read back
  bool optimiser = true;  // its kernels are known as such
  int accumulation = 1;
};

void iteration(LoopFeed& feed, const Training& how, int i) {
  feed.truth();
  if (how.copies) {
    feed.htod();
    feed.htod();
  }
  feed.kernels(1, 3);  // embedding
  layers(feed, how.layers, 10, 12);
  feed.kernels(30, 4);  // head and loss
  layers(feed, how.layers, 40, 20);
  feed.kernels(70, 3);
  if (how.item) feed.item();
  if ((i + 1) % how.accumulation != 0) return;
  for (int k = 0; k < 40; ++k) {
    feed.kernel((how.optimiser ? LoopFeed::kOptimiser : 80) + static_cast<std::uint32_t>(k) % 3);
  }
}

void train(LoopFeed& feed, const Training& how, int iterations, int from = 0) {
  for (int i = from; i < from + iterations; ++i) iteration(feed, how, i);
}

}  // namespace

TEST_CASE("iterations: a transformer's training, however it is written") {
  for (const bool copies : {false, true}) {
    for (const bool item : {false, true}) {
      for (const bool optimiser : {false, true}) {
        INFO("copies " << copies << " item " << item << " optimiser " << optimiser);
        LoopFeed feed;
        feed.kernels(500, 40);  // parameters
        for (int i = 0; i < 100; ++i) feed.htod();
        train(feed, {24, copies, item, optimiser, 1}, 100);
        CHECK(feed.found_share() >= 0.95);
        CHECK(feed.found_share() <= 1);
        // The first copy's burst may begin with the upload of the parameters.
        CHECK(feed.agreement() >= 0.98);
        CHECK(feed.finder.source() == "detected");
        CHECK(feed.finder.iterations_per_optimiser_step() == (optimiser ? 1 : 0));
      }
    }
  }
}

TEST_CASE("iterations: found within the first dozens where something tells the step") {
  LoopFeed feed;
  train(feed, {24, true, false, true, 1}, 24);
  CHECK(feed.finder.iterations() >= 20);
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: gradient accumulation is told where the optimiser is known") {
  LoopFeed feed;
  train(feed, {24, true, false, true, 4}, 200);
  CHECK(feed.found_share() >= 0.95);
  CHECK(feed.agreement() == 1);
  CHECK(feed.finder.iterations_per_optimiser_step() == 4);
  CHECK(feed.finder.source() == "detected, 4 per optimiser step");
}

TEST_CASE("iterations: 48 equal layers are not 48 iterations") {
  // Inference: nearly all of it is layers, only a copy or a wait tells the step.
  for (const bool copies : {false, true}) {
    INFO("copies " << copies);
    LoopFeed feed;
    for (int i = 0; i < 200; ++i) {
      feed.truth();
      if (copies) feed.htod();
      layers(feed, 48, 10, 12);
      if (!copies) feed.item();
    }
    CHECK(feed.found_share() >= 0.95);
    CHECK(feed.agreement() == 1);
  }
}

TEST_CASE("iterations: equal layers, and only the first kernel tells") {
  LoopFeed feed;
  for (int i = 0; i < 200; ++i) {
    feed.truth();
    feed.kernel(1);
    layers(feed, 48, 10, 12);
  }
  CHECK(feed.found_share() >= 0.95);
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: a chain of one kernel, and a wait, a copy or a pause a step") {
  for (const int what : {0, 1, 2}) {
    INFO("what " << what);
    LoopFeed feed;
    for (int i = 0; i < 100; ++i) {
      feed.truth();
      for (int k = 0; k < 400; ++k) feed.kernel(7);
      if (what == 0) feed.sync();
      if (what == 1) feed.dtoh();
      if (what == 2) feed.pause(5'000'000);
    }
    CHECK(feed.found_share() >= 0.95);
    CHECK(feed.agreement() == 1);
  }
}

TEST_CASE("iterations: none where nothing tells a step") {
  LoopFeed same, chain, noise, copies;
  std::mt19937 random(3);
  for (int i = 0; i < 60000; ++i) {
    same.kernel(7);
    chain.kernel(1 + static_cast<std::uint32_t>(i % 3));
    noise.kernel(random() % 50);
    if (i % 20 == 0) copies.htod();  // an upload, no kernel
  }
  for (const LoopFeed* feed : {&same, &chain, &noise, &copies}) {
    CHECK(feed->finder.iterations() == 0);
    CHECK_FALSE(feed->finder.any());
    CHECK(feed->finder.source().empty());
    CHECK(feed->marks.empty());
  }
}

TEST_CASE("iterations: a few kernels more or less do no harm") {
  std::mt19937 random(5);
  LoopFeed feed;
  for (int i = 0; i < 300; ++i) {
    iteration(feed, {12, true, false, true, 1}, i);
    if (i % 10 == 0) feed.kernels(200, 6);  // a log line
    if (random() % 4 == 0) feed.kernels(300, random() % 12);
    if (i % 50 == 49) feed.item();
  }
  CHECK(feed.found_share() >= 0.95);
  CHECK(feed.agreement() >= 0.99);
}

TEST_CASE("iterations: evaluation between epochs is no training") {
  LoopFeed feed;
  int done = 0;
  for (int epoch = 0; epoch < 6; ++epoch) {
    train(feed, {12, true, false, true, 1}, 150, done);
    done += 150;
    for (int i = 0; i < 60; ++i) {
      feed.htod();
      feed.kernels(1, 3);
      layers(feed, 12, 10, 12);
      feed.kernels(30, 4);
      feed.item();
    }
  }
  CHECK(feed.finder.iterations() >= 6 * 147);
  CHECK(feed.finder.iterations() <= 6 * 150);
  CHECK(feed.loops == 1);
}

TEST_CASE("iterations: another loop takes over when it lasts longer") {
  LoopFeed feed;
  train(feed, {12, true, false, true, 1}, 300);
  const std::size_t before = feed.begins.size();
  for (int i = 0; i < 2000; ++i) {
    feed.truth();
    feed.htod();
    feed.kernels(600, 150);
    feed.item();
  }
  CHECK(feed.loops == 2);
  CHECK(feed.finder.iterations() > 200);
  CHECK(feed.finder.iterations() <= static_cast<std::int64_t>(feed.begins.size() - before));
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: CUDA graphs count as one launch each") {
  LoopFeed replay, decode, piecewise;
  for (int i = 0; i < 500; ++i) {
    replay.truth();
    replay.graph(1);
    decode.truth();
    decode.htod();
    decode.graph(1);
    decode.kernels(1, 4);
    decode.item();
    piecewise.truth();
    for (std::uint32_t layer = 0; layer < 20; ++layer) {
      piecewise.graph(1 + layer);
      piecewise.kernel(7);
    }
  }
  for (const LoopFeed* feed : {&replay, &decode, &piecewise}) {
    CHECK(feed->found_share() >= 0.95);
    CHECK(feed->agreement() >= 0.99);
  }
}

TEST_CASE("iterations: short programs, at the latest when they end") {
  for (const int steps : {8, 12, 30}) {
    INFO("steps " << steps);
    LoopFeed graphs, copies, large;
    for (int i = 0; i < steps; ++i) {
      graphs.truth();
      graphs.graph(1);
      copies.truth();
      copies.htod();
      copies.kernels(1, 6);
      train(large, {24, true, false, true, 1}, 1, i);
    }
    for (LoopFeed* feed : {&graphs, &copies, &large}) {
      if (steps < 16 && feed == &graphs) continue;  // eight symbols are not enough for a judgement
      feed->finish();
      CHECK(feed->finder.iterations() >= steps - 2);
      CHECK(feed->finder.iterations() <= steps);
      CHECK(feed->agreement() == 1);
    }
  }
}

TEST_CASE("iterations: of more than ten thousand kernels; the search's memory is given back") {
  LoopFeed feed;
  for (int i = 0; i < 40; ++i) {
    feed.truth();
    feed.htod();
    layers(feed, 200, 10, 60);
    feed.kernel(LoopFeed::kOptimiser);
  }
  CHECK(feed.finder.iterations() >= 38);
  CHECK(feed.agreement() == 1);
  CHECK(feed.loops == 1);
  CHECK(feed.finder.held() == 0);
}

TEST_CASE("iterations: a few replays of a graph after a long eager warm-up") {
  LoopFeed feed;
  for (int k = 0; k < 3600; ++k) feed.kernel(1 + static_cast<std::uint32_t>(k % 3));
  for (int i = 0; i < 30; ++i) {
    feed.truth();
    feed.graph(1, 1200);
  }
  feed.finish();
  CHECK(feed.finder.iterations() == 29);
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: a first iteration that is unlike the others") {
  std::mt19937 random(9);
  LoopFeed feed;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3000; ++k) feed.kernel(400 + random() % 60);  // autotuning
    iteration(feed, {24, true, true, true, 1}, i);
  }
  train(feed, {24, true, true, true, 1}, 150, 3);
  CHECK(feed.finder.iterations() >= 145);
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: grids tell them apart where names do not") {
  LoopFeed feed;
  for (int i = 0; i < 300; ++i) {
    feed.truth();
    for (std::uint32_t k = 0; k < 120; ++k) feed.kernel(1 + k % 2, 1 + k);
  }
  CHECK(feed.found_share() >= 0.95);
  CHECK(feed.agreement() == 1);
}

TEST_CASE("iterations: boundaries come in order of time, memory stays bounded") {
  LoopFeed feed;
  std::size_t held = 0;
  std::mt19937 random(13);
  for (int i = 0; i < 300000; ++i) {
    feed.kernel(random() % 6000, random());
    held = std::max(held, feed.finder.held());
  }
  CHECK(held <= IterationFinder::kMaxPiece);
  train(feed, {24, true, true, true, 1}, 1000);
  CHECK(feed.finder.iterations() > 100);
  CHECK(feed.agreement() == 1);
  for (std::size_t i = 1; i < feed.marks.size(); ++i) {
    REQUIRE(feed.marks[i - 1].device_ns < feed.marks[i].device_ns);
    REQUIRE(feed.marks[i - 1].host_ns < feed.marks[i].host_ns);
  }
}
