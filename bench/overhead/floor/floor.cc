// The floor of any CUPTI tool: enables the activity kinds that the library enables, gives CUPTI
// recycled buffers of the library's size and throws their content away. No callback of an API call,
// no subscription, no flush, no attribute.
//
// FLOOR_GRAPHS=graph traces graphs as a whole, as GAPSCOPE_GRAPHS=graph does; GAPSCOPE_CUPTI_PATH
// names the libcupti to use. One line on stderr says that it traces, or why not.
#include <cupti.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "buffer_pool.h"
#include "cupti_api.h"
#include "runtime/config.h"

namespace {

using gapscope::cupti::BufferPool;

// As in cupti_backend.cc; a test compares the two lists.
constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_OVERHEAD,
};

// CUPTI's buffer callbacks carry no user data. Set before they are registered, never freed: CUPTI
// may hold a buffer until the very end.
BufferPool* g_pool = nullptr;

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = g_pool->take();
  *size = *buffer == nullptr ? 0 : g_pool->buffer_bytes();
  *max_records = 0;
}

void CUPTIAPI buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                               std::size_t) {
  g_pool->give_back(buffer);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What to say on stderr.
std::string start() {
  auto api = gapscope::cupti::load_cupti({variable("GAPSCOPE_CUPTI_PATH"), variable("CUDA_HOME")});
  if (!api.ok()) return fmt::format("off: {}", api.status().message());
  const gapscope::Config defaults;
  g_pool = new BufferPool(defaults.buffer_bytes, defaults.buffer_limit_bytes);
  CUptiResult result = api->activity_register_callbacks(&buffer_requested, &buffer_completed);
  if (result != CUPTI_SUCCESS) return fmt::format("off: no buffers: {}", api->result_text(result));
  for (const CUpti_ActivityKind kind : kKinds) {
    result = api->activity_enable(kind);
    if (result != CUPTI_SUCCESS) {
      return fmt::format("off: kind {}: {}", static_cast<int>(kind), api->result_text(result));
    }
  }
  const bool whole_graphs = variable("FLOOR_GRAPHS") == "graph";
  if (whole_graphs) api->activity_enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  return fmt::format("tracing {}, {}", whole_graphs ? "whole graphs" : "graph nodes", api->path);
}

}  // namespace

// Called by the driver inside cuInit when CUDA_INJECTION64_PATH names this library. Always 1.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  try {
    std::fprintf(stderr, "floor: %s\n", start().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "floor: off: %s\n", error.what());
  }
  return 1;
}
