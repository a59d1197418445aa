// The CUDA calls that are recorded, by the name that the user knows.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/record.h"

namespace gapscope {

// Values are part of the recording format: never renumber, only append.
enum class ApiId : std::uint16_t {
  unknown = 0,
  launch_kernel,
  launch_kernel_ex,
  launch_cooperative,
  launch_cooperative_multi_device,
  graph_launch,
  memcpy_htod,
  memcpy_dtoh,
  memcpy_dtod,
  memcpy_any,  // cudaMemcpy and cuMemcpy
  memcpy_htod_async,
  memcpy_dtoh_async,
  memcpy_dtod_async,
  memcpy_any_async,
  memcpy_array,
  memcpy_2d,
  memcpy_2d_async,
  memcpy_3d,
  memcpy_3d_async,
  memcpy_peer,
  memcpy_peer_async,
  memcpy_batch_async,
  memset,
  memset_async,
  context_synchronize,
  stream_synchronize,
  event_synchronize,
  malloc_,
  malloc_host,
  malloc_managed,
  malloc_async,
  free_,
  free_host,
  free_async,
  host_register,
  host_unregister,
  memory_create,  // cuMemCreate
  memory_map,     // cuMemMap, cuMemSetAccess
  memory_unmap,   // cuMemUnmap, cuMemRelease
  pool_trim,
  module_load,
  module_unload,
  library_load,
  function_load,
  graph_instantiate,
  graph_exec_update,
  graph_upload,
  profiler_start,
  profiler_stop,
  count_
};

// The runtime's word where driver and runtime call are one to one ("cudaStreamSynchronize"), else
// the driver's ("cuMemCreate"). Never empty.
std::string_view api_name(ApiId id);
ApiCategory api_category(ApiId id);

// Section words for a category: "launch", "copy", "blocking sync", "allocation", ...
std::string_view category_name(ApiCategory category);

}  // namespace gapscope
