// Replays a graph of N empty kernels until so many kernels have run, at a steady pace of full
// queues. After each tenth it says on stdout how much device memory is in use beyond what was at
// the first tenth, when every buffer of a profiler has come to be.
#include <cinttypes>

#include "common.h"

__global__ void soak_kernel() {}

namespace {

std::size_t device_bytes_in_use() {
  std::size_t free_bytes = 0, total_bytes = 0;
  GPU_TEST_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return total_bytes - free_bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const long nodes = gpu_test::number_option(argc, argv, "--nodes", 1000);
  const long kernels = gpu_test::number_option(argc, argv, "--kernels", 30'000'000);
  constexpr long kTenths = 10;
  const long replays = (kernels / nodes + kTenths - 1) / kTenths * kTenths;
  cudaStream_t stream = nullptr;
  GPU_TEST_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  GPU_TEST_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (long i = 0; i < nodes; ++i) soak_kernel<<<1, 32, 0, stream>>>();
  GPU_TEST_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  GPU_TEST_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));

  std::size_t first_bytes = 0, last_bytes = 0;
  for (long tenth = 0; tenth < kTenths; ++tenth) {
    for (long i = 0; i < replays / kTenths; ++i) {
      GPU_TEST_CHECK(cudaGraphLaunch(executable, stream));
      if (i % 64 == 63) GPU_TEST_CHECK(cudaStreamSynchronize(stream));
    }
    GPU_TEST_CHECK(cudaStreamSynchronize(stream));
    last_bytes = device_bytes_in_use();
    if (tenth == 0) first_bytes = last_bytes;
    std::printf("%ld kernels\n", (tenth + 1) * (replays / kTenths) * nodes);
    std::fflush(stdout);
  }
  std::printf("{\"soak_kernels\": %ld, \"replays\": %ld, \"captured\": %ld}\n", replays * nodes,
              replays, nodes);
  std::fprintf(stderr, "device memory grew by %" PRId64 " bytes\n",
               static_cast<std::int64_t>(last_bytes) - static_cast<std::int64_t>(first_bytes));
  return 0;
}
