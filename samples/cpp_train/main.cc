// A small training program on CUDA and cuBLAS that profiles itself with gapscope.
//
// What a user would copy: the Session at the top of main, gapscope::step() once a step, Ranges
// where they help. Everything else is an ordinary training loop: batches gathered on the host into
// pinned memory, copied on the training stream, forward, backward, Adam.
//
// stdout is the same in every run with the same options, with a profiler or without; what depends
// on the clock goes to stderr. Exit code 0: the loss fell as it should; 1: it did not, or CUDA
// failed; 2: the command line.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "buffers.h"
#include "dataset.h"
#include "gapscope/gapscope.hpp"
#include "mlp.h"
#include "options.h"
#include "stalls.h"

namespace cpp_train {
namespace {

// One of the two pinned batches that take turns: the host fills one while the other is copied.
struct Batch {
  Batch(int samples, int inputs) : x(static_cast<std::size_t>(samples) * inputs), labels(samples) {
    CPP_TRAIN_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  }
  ~Batch() { cudaEventDestroy(copied); }
  PinnedBuffer<float> x;
  PinnedBuffer<int> labels;
  cudaEvent_t copied = nullptr;
};

class Trainer {
 public:
  explicit Trainer(const Options& options)
      : options_(options),
        stream_(make_stream()),
        data_(16384, 64, 16, options.seed),
        model_({64, options.width, options.width, 16}, options.batch, options.seed, stream_),
        batches_{{options.batch, data_.inputs()}, {options.batch, data_.inputs()}},
        losses_(options.batch) {
    // Buffers were filled on the default stream, which the training stream does not wait for.
    CPP_TRAIN_CHECK(cudaDeviceSynchronize());
  }
  ~Trainer() { cudaStreamDestroy(stream_); }
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  void step(int number) {
    load(batches_[number % 2]);
    {
      gapscope::Range range("forward");
      model_.forward();
    }
    {
      gapscope::Range range("backward");
      model_.backward();
    }
    gapscope::Range range("optimiser");
    model_.update(options_.rate);
  }

  // Mean loss of the last step; waits for it.
  float loss() {
    gapscope::Range range("loss");
    CPP_TRAIN_CHECK(cudaMemcpyAsync(losses_.get(), model_.losses(), losses_.bytes(),
                                    cudaMemcpyDeviceToHost, stream_));
    CPP_TRAIN_CHECK(cudaStreamSynchronize(stream_));
    return std::accumulate(losses_.get(), losses_.get() + losses_.size(), 0.0f) / losses_.size();
  }

  cudaStream_t stream() const { return stream_; }

 private:
  static cudaStream_t make_stream() {
    cudaStream_t stream = nullptr;
    CPP_TRAIN_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
  }

  void load(Batch& batch) {
    gapscope::Range range("data");
    CPP_TRAIN_CHECK(cudaEventSynchronize(batch.copied));
    data_.next_batch(options_.batch, batch.x.get(), batch.labels.get());
    CPP_TRAIN_CHECK(cudaMemcpyAsync(model_.input(), batch.x.get(), batch.x.bytes(),
                                    cudaMemcpyHostToDevice, stream_));
    CPP_TRAIN_CHECK(cudaMemcpyAsync(model_.labels(), batch.labels.get(), batch.labels.bytes(),
                                    cudaMemcpyHostToDevice, stream_));
    CPP_TRAIN_CHECK(cudaEventRecord(batch.copied, stream_));
  }

  Options options_;
  cudaStream_t stream_;
  Dataset data_;
  Mlp model_;
  Batch batches_[2];
  PinnedBuffer<float> losses_;
};

int train(const Options& options) {
  Stalls stalls(options.plant, options.plant_every);
  Trainer trainer(options);
  float first = 0.0f, last = 0.0f;
  const auto begin = std::chrono::steady_clock::now();
  gapscope::step();  // the first step begins here
  for (int i = 0; i < options.steps; ++i) {
    stalls.before_step(i, trainer.stream());
    trainer.step(i);
    if (i == 0 || i + 1 == options.steps || (i + 1) % options.log_every == 0) {
      last = trainer.loss();
      if (i == 0) first = last;
      std::printf("step %d loss %.4f\n", i + 1, last);
    }
    gapscope::step();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "cpp_train: %.1f steps/s\n", options.steps / wall.count());
  if (stalls.planted()) {
    std::printf("planted %s: %d stalls, %.3f ms\n", stalls.spec().c_str(), stalls.count(),
                stalls.total_ms());
  }
  // Few steps prove little; with a hundred the loss has halved unless something is broken.
  const float wanted = options.steps >= 100 ? 0.5f * first : first;
  const bool fell = std::isfinite(last) && (options.steps < 10 || last < wanted);
  std::printf("loss %.4f -> %.4f in %d steps: %s\n", first, last, options.steps,
              fell ? "fell" : "did not fall");
  return fell ? 0 : 1;
}

}  // namespace
}  // namespace cpp_train

int main(int argc, char** argv) {
  const cpp_train::Options options = cpp_train::parse_options(argc, argv);
  gapscope::Session session;  // before the first CUDA call: the whole run is in the report
  return cpp_train::train(options);
}
