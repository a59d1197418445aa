// A multi-layer perceptron on cuBLAS: forward, backward and Adam. All work goes to one stream.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <random>
#include <vector>

#include "buffers.h"

namespace cpp_train {

class Mlp {
 public:
  // widths: inputs, hidden layers, classes; batch: rows of every matrix.
  Mlp(const std::vector<int>& widths, int batch, unsigned seed, cudaStream_t stream);
  ~Mlp();
  Mlp(const Mlp&) = delete;
  Mlp& operator=(const Mlp&) = delete;

  // Logits and losses of the samples in input() with the labels in labels().
  void forward();
  // Gradients of the mean loss; after forward().
  void backward();
  // One Adam step with the gradients of backward().
  void update(float rate);

  float* input() const { return input_.get(); }
  int* labels() const { return labels_.get(); }
  const float* losses() const { return losses_.get(); }  // one a sample

 private:
  // Weights or bias with its gradient and Adam's two moments.
  struct Parameter {
    explicit Parameter(std::size_t count)
        : value(count), gradient(count), mean(count), variance(count) {}
    DeviceBuffer<float> value, gradient, mean, variance;
  };
  struct Layer {
    Layer(int in, int units, int batch)
        : inputs(in),
          outputs(units),
          weights(static_cast<std::size_t>(in) * units),
          bias(units),
          pre(static_cast<std::size_t>(batch) * units),
          out(static_cast<std::size_t>(batch) * units),
          gradient(static_cast<std::size_t>(batch) * units) {}
    int inputs, outputs;
    Parameter weights, bias;
    DeviceBuffer<float> pre, out, gradient;  // gradient: of pre
  };

  const float* input_of(std::size_t layer) const;
  void step(Parameter& parameter, float rate);

  int batch_;
  int updates_ = 0;
  cudaStream_t stream_;
  cublasHandle_t blas_ = nullptr;
  DeviceBuffer<float> input_;
  DeviceBuffer<int> labels_;
  DeviceBuffer<float> losses_;
  std::vector<Layer> layers_;
};

}  // namespace cpp_train
