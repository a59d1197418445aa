#include "cuda_check.h"
#include "kernels.h"

namespace cpp_train {
namespace {

constexpr int kThreads = 256;

int blocks_for(int count) { return (count + kThreads - 1) / kThreads; }

// The tanh form of GELU and its derivative.
__device__ float gelu_inner(float x) { return 0.7978845608f * (x + 0.044715f * x * x * x); }

__global__ void bias_gelu_kernel(float* pre, const float* bias, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const float x = pre[i] + bias[i % columns];
  pre[i] = x;
  out[i] = 0.5f * x * (1.0f + tanhf(gelu_inner(x)));
}

__global__ void add_bias_kernel(float* values, const float* bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) values[i] += bias[i % columns];
}

__global__ void gelu_backward_kernel(float* gradient, const float* pre, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = pre[i];
  const float t = tanhf(gelu_inner(x));
  const float inner_slope = 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
  gradient[i] *= 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner_slope;
}

// One thread a sample: the rows are short (one value a class).
__global__ void softmax_cross_entropy_kernel(float* logits, const int* labels, float* loss,
                                             int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float* row = logits + static_cast<long>(r) * columns;
  float largest = row[0];
  for (int c = 1; c < columns; ++c) largest = fmaxf(largest, row[c]);
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += expf(row[c] - largest);
  const int label = labels[r];
  loss[r] = logf(sum) - (row[label] - largest);
  for (int c = 0; c < columns; ++c) {
    const float p = expf(row[c] - largest) / sum;
    row[c] = (p - (c == label ? 1.0f : 0.0f)) / rows;
  }
}

// One thread a column; always the same order of additions, so that runs repeat bit for bit.
__global__ void column_sums_kernel(const float* values, float* sums, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r) sum += values[static_cast<long>(r) * columns + c];
  sums[c] = sum;
}

__global__ void adam_kernel(float* weights, const float* gradient, float* mean, float* variance,
                            int count, AdamStep step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float g = gradient[i];
  const float m = step.beta1 * mean[i] + (1.0f - step.beta1) * g;
  const float v = step.beta2 * variance[i] + (1.0f - step.beta2) * g * g;
  mean[i] = m;
  variance[i] = v;
  weights[i] -= step.rate * (m * step.correction1) / (sqrtf(v * step.correction2) + step.epsilon);
}

}  // namespace

void bias_gelu(float* pre, const float* bias, float* out, int rows, int columns,
               cudaStream_t stream) {
  bias_gelu_kernel<<<blocks_for(rows * columns), kThreads, 0, stream>>>(pre, bias, out, rows,
                                                                        columns);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

void add_bias(float* values, const float* bias, int rows, int columns, cudaStream_t stream) {
  add_bias_kernel<<<blocks_for(rows * columns), kThreads, 0, stream>>>(values, bias, rows, columns);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

void gelu_backward(float* gradient, const float* pre, int count, cudaStream_t stream) {
  gelu_backward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(gradient, pre, count);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

void softmax_cross_entropy(float* logits, const int* labels, float* loss, int rows, int columns,
                           cudaStream_t stream) {
  softmax_cross_entropy_kernel<<<blocks_for(rows), kThreads, 0, stream>>>(logits, labels, loss,
                                                                          rows, columns);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

void column_sums(const float* values, float* sums, int rows, int columns, cudaStream_t stream) {
  column_sums_kernel<<<blocks_for(columns), kThreads, 0, stream>>>(values, sums, rows, columns);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

void adam(float* weights, const float* gradient, float* mean, float* variance, int count,
          const AdamStep& step, cudaStream_t stream) {
  adam_kernel<<<blocks_for(count), kThreads, 0, stream>>>(weights, gradient, mean, variance, count,
                                                          step);
  CPP_TRAIN_CHECK(cudaGetLastError());
}

}  // namespace cpp_train
