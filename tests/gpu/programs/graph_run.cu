// Captures K kernels, a set and a copy into a graph and replays it R times, beside a few eager
// launches of another kernel. Counts are exact; captured calls leave no device record.
#include "common.h"

__global__ void node_kernel(float* values) { values[threadIdx.x] += 1.0f; }
__global__ void eager_kernel(float* values) { values[threadIdx.x] *= 0.5f; }

int main(int argc, char** argv) {
  const long kernels = gpu_test::number_option(argc, argv, "--kernels", 100);
  const long replays = gpu_test::number_option(argc, argv, "--replays", 500);
  constexpr int kEager = 7;
  constexpr int kThreads = 64;
  constexpr std::size_t kBytes = kThreads * sizeof(float);
  float* values = nullptr;
  float* copy = nullptr;
  GPU_TEST_CHECK(cudaMalloc(&values, kBytes));
  GPU_TEST_CHECK(cudaMalloc(&copy, kBytes));
  cudaStream_t stream = nullptr;
  GPU_TEST_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  cudaGraph_t graph = nullptr;
  GPU_TEST_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GPU_TEST_CHECK(cudaMemsetAsync(values, 0, kBytes, stream));
  for (long i = 0; i < kernels; ++i) node_kernel<<<1, kThreads, 0, stream>>>(values);
  GPU_TEST_CHECK(cudaMemcpyAsync(copy, values, kBytes, cudaMemcpyDeviceToDevice, stream));
  GPU_TEST_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  GPU_TEST_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));

  for (int i = 0; i < kEager; ++i) eager_kernel<<<1, kThreads, 0, stream>>>(copy);
  for (long i = 0; i < replays; ++i) GPU_TEST_CHECK(cudaGraphLaunch(executable, stream));
  GPU_TEST_CHECK(cudaStreamSynchronize(stream));

  float first = 0.0f;
  GPU_TEST_CHECK(cudaMemcpy(&first, copy, sizeof first, cudaMemcpyDeviceToHost));
  const bool right = first == static_cast<float>(kernels);
  std::printf(
      "{\"node_kernels\": %ld, \"eager_kernels\": %d, \"replays\": %ld, \"sets\": %ld, "
      "\"dtod_copies\": %ld, \"dtoh_copies\": 1, \"captured\": %ld, \"right\": %s}\n",
      kernels * replays, kEager, replays, replays, replays, kernels + 2, right ? "true" : "false");
  std::fflush(stdout);
  return right ? 0 : 1;
}
