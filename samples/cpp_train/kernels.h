// The element-wise and row-wise kernels of the network. Matrices are row-major: row = sample.
#pragma once

#include <cuda_runtime.h>

namespace cpp_train {

// pre[r][c] += bias[c]; out[r][c] = gelu(pre[r][c])
void bias_gelu(float* pre, const float* bias, float* out, int rows, int columns,
               cudaStream_t stream);
// values[r][c] += bias[c]
void add_bias(float* values, const float* bias, int rows, int columns, cudaStream_t stream);
// gradient[i] *= gelu'(pre[i])
void gelu_backward(float* gradient, const float* pre, int count, cudaStream_t stream);
// loss[r] of each sample; logits become the gradient of the mean loss.
void softmax_cross_entropy(float* logits, const int* labels, float* loss, int rows, int columns,
                           cudaStream_t stream);
// sums[c] = sum over r of values[r][c]
void column_sums(const float* values, float* sums, int rows, int columns, cudaStream_t stream);

struct AdamStep {
  float rate;
  float beta1;
  float beta2;
  float epsilon;
  float correction1;  // 1 / (1 - beta1^t)
  float correction2;  // 1 / (1 - beta2^t)
};
void adam(float* weights, const float* gradient, float* mean, float* variance, int count,
          const AdamStep& step, cudaStream_t stream);

}  // namespace cpp_train
