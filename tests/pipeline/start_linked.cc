// A program that links libgapscope.so and starts it through the C API.
#include "gapscope/gapscope.h"
#include "start.h"

namespace fake_driver {

bool start_library() {
  gapscope_options options{};
  options.size = sizeof options;
  const gapscope_status status = gapscope_start(&options);
  return status == GAPSCOPE_OK || status == GAPSCOPE_ALREADY_STARTED;
}

}  // namespace fake_driver
