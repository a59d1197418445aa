// The fake CUDA process as a library, for programs in Python.
#include <unistd.h>

#include "cuda_process.h"
#include "names.h"

// Starts CUDA in this process, once, and launches so many kernels.
extern "C" __attribute__((visibility("default"))) void fake_program(std::uint32_t operations) {
  static fake_driver::CudaProcess* cuda = nullptr;
  static pid_t owner = 0;
  if (owner != getpid()) {
    owner = getpid();
    cuda = new fake_driver::CudaProcess;  // threads may still launch while the process exits
    cuda->init();
  }
  for (std::uint32_t i = 0; i < operations; ++i) cuda->launch(fake_driver::kSaxpy, 10'000);
  cuda->simple(FAKE_CTX_SYNCHRONIZE);
}
