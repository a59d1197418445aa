#include <string>

#include "common.h"
#include "gapscope/gapscope.h"
#include "linked_injected.h"

int main(int argc, char** argv) {
  const long kernels = gpu_test::number_option(argc, argv, "--kernels", 1000);
  const long steps = gpu_test::number_option(argc, argv, "--steps", 20);
  const std::string order = gpu_test::text_option(argc, argv, "--order", "linked-first");
  // The driver injects in its own initialisation, that is in the first CUDA call.
  if (order == "injected-first") GPU_TEST_CHECK(cudaFree(nullptr));
  const gapscope_status start = gapscope_start(nullptr);
  GPU_TEST_CHECK(cudaFree(nullptr));
  const gapscope_status again = gapscope_start(nullptr);
  for (long i = 0; i < steps; ++i) {
    gapscope_range_push("work");
    launch_counted_kernels(kernels / steps);
    gapscope_range_pop();
    gapscope_step();
  }
  const gapscope_status stop = gapscope_stop();
  std::printf("{\"kernels\": %ld, \"steps\": %ld, \"start\": %d, \"again\": %d, \"stop\": %d}\n",
              kernels / steps * steps, steps, start, again, stop);
  std::fflush(stdout);
  return 0;
}
