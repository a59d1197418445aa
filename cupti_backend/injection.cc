// The entry points that the CUDA driver and NVTX look for.
#include "gapscope/gapscope.h"
#include "runtime/abi/instance.h"

// Called by the driver inside cuInit when CUDA_INJECTION64_PATH names this library. Always 1:
// whatever happens to us, the program goes on.
extern "C" GAPSCOPE_API int InitializeInjection(void) {
  gapscope::start_instance(nullptr);
  return 1;
}
