#include "mlp.h"

#include <cmath>

#include "kernels.h"

namespace cpp_train {
namespace {

// Row-major c[m][n] = a * b, where a is [m][k] (or its transpose is, if ta) and b [k][n]
// (likewise). cuBLAS is column-major: it sees transposes, so the operands swap places.
void multiply(cublasHandle_t blas, bool ta, bool tb, int m, int n, int k, const float* a,
              const float* b, float* c) {
  const float one = 1.0f, zero = 0.0f;
  CPP_TRAIN_CHECK(cublasSgemm(blas, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                              n, m, k, &one, b, tb ? k : n, a, ta ? m : k, &zero, c, n));
}

}  // namespace

Mlp::Mlp(const std::vector<int>& widths, int batch, unsigned seed, cudaStream_t stream)
    : batch_(batch),
      stream_(stream),
      input_(static_cast<std::size_t>(batch) * widths.front()),
      labels_(batch),
      losses_(batch) {
  CPP_TRAIN_CHECK(cublasCreate(&blas_));
  CPP_TRAIN_CHECK(cublasSetStream(blas_, stream));
  std::mt19937 random(seed);
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    Layer& layer = layers_.emplace_back(widths[i], widths[i + 1], batch);
    std::normal_distribution<float> normal(0.0f, std::sqrt(2.0f / layer.inputs));
    std::vector<float> weights(layer.weights.value.size());
    for (float& w : weights) w = normal(random);
    layer.weights.value.upload(weights);
  }
}

Mlp::~Mlp() { cublasDestroy(blas_); }

const float* Mlp::input_of(std::size_t layer) const {
  return layer == 0 ? input_.get() : layers_[layer - 1].out.get();
}

void Mlp::forward() {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& l = layers_[i];
    multiply(blas_, false, false, batch_, l.outputs, l.inputs, input_of(i), l.weights.value.get(),
             l.pre.get());
    if (i + 1 < layers_.size()) {
      bias_gelu(l.pre.get(), l.bias.value.get(), l.out.get(), batch_, l.outputs, stream_);
    } else {
      add_bias(l.pre.get(), l.bias.value.get(), batch_, l.outputs, stream_);
    }
  }
}

void Mlp::backward() {
  Layer& last = layers_.back();
  softmax_cross_entropy(last.pre.get(), labels_.get(), losses_.get(), batch_, last.outputs,
                        stream_);
  const float* gradient = last.pre.get();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& l = layers_[i];
    multiply(blas_, true, false, l.inputs, l.outputs, batch_, input_of(i), gradient,
             l.weights.gradient.get());
    column_sums(gradient, l.bias.gradient.get(), batch_, l.outputs, stream_);
    if (i == 0) break;
    Layer& below = layers_[i - 1];
    multiply(blas_, false, true, batch_, l.inputs, l.outputs, gradient, l.weights.value.get(),
             below.gradient.get());
    gelu_backward(below.gradient.get(), below.pre.get(), batch_ * below.outputs, stream_);
    gradient = below.gradient.get();
  }
}

void Mlp::update(float rate) {
  ++updates_;
  for (Layer& l : layers_) {
    step(l.weights, rate);
    step(l.bias, rate);
  }
}

void Mlp::step(Parameter& p, float rate) {
  AdamStep s{rate, 0.9f, 0.999f, 1e-8f, 0.0f, 0.0f};
  s.correction1 = 1.0f / (1.0f - std::pow(s.beta1, static_cast<float>(updates_)));
  s.correction2 = 1.0f / (1.0f - std::pow(s.beta2, static_cast<float>(updates_)));
  adam(p.value.get(), p.gradient.get(), p.mean.get(), p.variance.get(),
       static_cast<int>(p.value.size()), s, stream_);
}

}  // namespace cpp_train
