// N threads launch M empty kernels each, on streams of their own, all at once. The count is exact:
// threads * kernels launches of empty_kernel and nothing else on the device.
#include <atomic>
#include <thread>
#include <vector>

#include "common.h"

__global__ void empty_kernel() {}

namespace {

void launch_all(long kernels, std::atomic<bool>* go) {
  cudaStream_t stream = nullptr;
  GPU_TEST_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  while (!go->load(std::memory_order_acquire)) std::this_thread::yield();
  for (long i = 0; i < kernels; ++i) empty_kernel<<<1, 32, 0, stream>>>();
  GPU_TEST_CHECK(cudaGetLastError());
  GPU_TEST_CHECK(cudaStreamSynchronize(stream));
  GPU_TEST_CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  const long threads = gpu_test::number_option(argc, argv, "--threads", 4);
  const long kernels = gpu_test::number_option(argc, argv, "--kernels", 25000);
  GPU_TEST_CHECK(cudaFree(nullptr));
  std::atomic<bool> go{false};
  std::vector<std::thread> workers;
  for (long i = 0; i < threads; ++i) workers.emplace_back(launch_all, kernels, &go);
  go.store(true, std::memory_order_release);
  for (std::thread& worker : workers) worker.join();
  std::printf("{\"threads\": %ld, \"kernels\": %ld}\n", threads, threads * kernels);
  std::fflush(stdout);
  return 0;
}
