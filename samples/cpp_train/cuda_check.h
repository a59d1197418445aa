// Turns an error of CUDA or cuBLAS into one line and exit code 1.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace cpp_train {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "cpp_train: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

inline void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cpp_train: %s: cuBLAS status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

}  // namespace cpp_train

#define CPP_TRAIN_CHECK(call) ::cpp_train::check((call), #call)
