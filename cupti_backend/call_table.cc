#include "call_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cupti_versions.h"

namespace gapscope::cupti {
namespace {

// Reads what a call's parameters say of its stream and size. Only pointers that the call itself has
// to read are followed, at its exit and in its own thread, so they are still valid.
template <typename P>
void extract(const void* params, CallDetails* details) {
  const auto& p = *static_cast<const P*>(params);
  if constexpr (requires { p.hStream; }) {
    details->stream_handle = reinterpret_cast<std::uint64_t>(p.hStream);
  } else if constexpr (requires { p.config->hStream; }) {
    if (p.config != nullptr) {
      details->stream_handle = reinterpret_cast<std::uint64_t>(p.config->hStream);
    }
  }
  if constexpr (requires { p.ByteCount; }) {
    details->bytes = p.ByteCount;
  } else if constexpr (requires { p.bytesize; }) {
    details->bytes = p.bytesize;
  } else if constexpr (requires { p.pCopy->Depth; }) {
    if (p.pCopy != nullptr)
      details->bytes = p.pCopy->WidthInBytes * p.pCopy->Height * p.pCopy->Depth;
  } else if constexpr (requires { p.pCopy->Height; }) {
    if (p.pCopy != nullptr) details->bytes = p.pCopy->WidthInBytes * p.pCopy->Height;
  } else if constexpr (requires { p.WidthInBytes; }) {
    details->bytes = p.WidthInBytes * p.Height;
  } else if constexpr (requires {
                         p.sizes;
                         p.count;
                       }) {
    for (std::size_t i = 0; p.sizes != nullptr && i < p.count; ++i) details->bytes += p.sizes[i];
  } else if constexpr (requires {
                         p.uc;
                         p.N;
                       }) {
    details->bytes = p.N;
  } else if constexpr (requires {
                         p.us;
                         p.N;
                       }) {
    details->bytes = p.N * 2;
  } else if constexpr (requires {
                         p.ui;
                         p.N;
                       }) {
    details->bytes = p.N * 4;
  } else if constexpr (requires {
                         p.uc;
                         p.Width;
                       }) {
    details->bytes = p.Width * p.Height;
  } else if constexpr (requires {
                         p.us;
                         p.Width;
                       }) {
    details->bytes = p.Width * p.Height * 2;
  } else if constexpr (requires {
                         p.ui;
                         p.Width;
                       }) {
    details->bytes = p.Width * p.Height * 4;
  } else if constexpr (requires { p.size; }) {
    details->bytes = p.size;
  }
}

constexpr bool per_thread(std::string_view name) {
  return name.ends_with("_ptsz") || name.ends_with("_ptds");
}

#define CALL(name, api, expects)                                                           \
  CallInfo {                                                                               \
    CUPTI_DRIVER_TRACE_CBID_##name, ApiId::api, Expects::expects, &extract<name##_params>, \
        per_thread(#name)                                                                  \
  }
#define CALL_PLAIN(name, api) \
  CallInfo { CUPTI_DRIVER_TRACE_CBID_##name, ApiId::api, Expects::none, nullptr, false }

// Copies expect `maybe` where the driver may do without a device operation (host to host, arrays,
// several engines); plain linear copies and sets leave exactly one record.
constexpr CallInfo kCalls[] = {
    CALL(cuLaunchKernel, launch_kernel, one),
    CALL(cuLaunchKernel_ptsz, launch_kernel, one),
    CALL(cuLaunchKernelEx, launch_kernel_ex, one),
    CALL(cuLaunchKernelEx_ptsz, launch_kernel_ex, one),
    CALL(cuLaunchCooperativeKernel, launch_cooperative, one),
    CALL(cuLaunchCooperativeKernel_ptsz, launch_cooperative, one),
    CALL(cuLaunchCooperativeKernelMultiDevice, launch_cooperative_multi_device, many),
    CALL(cuGraphLaunch, graph_launch, many),
    CALL(cuGraphLaunch_ptsz, graph_launch, many),

    CALL(cuMemcpyHtoD_v2, memcpy_htod, one),
    CALL(cuMemcpyHtoD_v2_ptds, memcpy_htod, one),
    CALL(cuMemcpyDtoH_v2, memcpy_dtoh, one),
    CALL(cuMemcpyDtoH_v2_ptds, memcpy_dtoh, one),
    CALL(cuMemcpyDtoD_v2, memcpy_dtod, maybe),
    CALL(cuMemcpyDtoD_v2_ptds, memcpy_dtod, maybe),
    CALL(cuMemcpy, memcpy_any, maybe),
    CALL(cuMemcpy_ptds, memcpy_any, maybe),
    CALL(cuMemcpyHtoDAsync_v2, memcpy_htod_async, one),
    CALL(cuMemcpyHtoDAsync_v2_ptsz, memcpy_htod_async, one),
    CALL(cuMemcpyDtoHAsync_v2, memcpy_dtoh_async, one),
    CALL(cuMemcpyDtoHAsync_v2_ptsz, memcpy_dtoh_async, one),
    CALL(cuMemcpyDtoDAsync_v2, memcpy_dtod_async, maybe),
    CALL(cuMemcpyDtoDAsync_v2_ptsz, memcpy_dtod_async, maybe),
    CALL(cuMemcpyAsync, memcpy_any_async, maybe),
    CALL(cuMemcpyAsync_ptsz, memcpy_any_async, maybe),
    CALL(cuMemcpyDtoA_v2, memcpy_array, maybe),
    CALL(cuMemcpyDtoA_v2_ptds, memcpy_array, maybe),
    CALL(cuMemcpyAtoD_v2, memcpy_array, maybe),
    CALL(cuMemcpyAtoD_v2_ptds, memcpy_array, maybe),
    CALL(cuMemcpyHtoA_v2, memcpy_array, maybe),
    CALL(cuMemcpyHtoA_v2_ptds, memcpy_array, maybe),
    CALL(cuMemcpyAtoH_v2, memcpy_array, maybe),
    CALL(cuMemcpyAtoH_v2_ptds, memcpy_array, maybe),
    CALL(cuMemcpyAtoA_v2, memcpy_array, maybe),
    CALL(cuMemcpyAtoA_v2_ptds, memcpy_array, maybe),
    CALL(cuMemcpyHtoAAsync_v2, memcpy_array, maybe),
    CALL(cuMemcpyHtoAAsync_v2_ptsz, memcpy_array, maybe),
    CALL(cuMemcpyAtoHAsync_v2, memcpy_array, maybe),
    CALL(cuMemcpyAtoHAsync_v2_ptsz, memcpy_array, maybe),
    CALL(cuMemcpy2D_v2, memcpy_2d, maybe),
    CALL(cuMemcpy2D_v2_ptds, memcpy_2d, maybe),
    CALL(cuMemcpy2DUnaligned_v2, memcpy_2d, maybe),
    CALL(cuMemcpy2DUnaligned_v2_ptds, memcpy_2d, maybe),
    CALL(cuMemcpy2DAsync_v2, memcpy_2d_async, maybe),
    CALL(cuMemcpy2DAsync_v2_ptsz, memcpy_2d_async, maybe),
    CALL(cuMemcpy3D_v2, memcpy_3d, maybe),
    CALL(cuMemcpy3D_v2_ptds, memcpy_3d, maybe),
    CALL(cuMemcpy3DAsync_v2, memcpy_3d_async, maybe),
    CALL(cuMemcpy3DAsync_v2_ptsz, memcpy_3d_async, maybe),
    CALL(cuMemcpyPeer, memcpy_peer, maybe),
    CALL(cuMemcpyPeer_ptds, memcpy_peer, maybe),
    CALL(cuMemcpyPeerAsync, memcpy_peer_async, maybe),
    CALL(cuMemcpyPeerAsync_ptsz, memcpy_peer_async, maybe),
    CALL(cuMemcpy3DPeer, memcpy_peer, maybe),
    CALL(cuMemcpy3DPeer_ptds, memcpy_peer, maybe),
    CALL(cuMemcpy3DPeerAsync, memcpy_peer_async, maybe),
    CALL(cuMemcpy3DPeerAsync_ptsz, memcpy_peer_async, maybe),
    CALL(cuMemcpyBatchAsync, memcpy_batch_async, many),
    CALL(cuMemcpyBatchAsync_ptsz, memcpy_batch_async, many),
    CALL(cuMemcpyBatchAsync_v2, memcpy_batch_async, many),
    CALL(cuMemcpyBatchAsync_v2_ptsz, memcpy_batch_async, many),
    CALL(cuMemcpy3DBatchAsync, memcpy_batch_async, many),
    CALL(cuMemcpy3DBatchAsync_ptsz, memcpy_batch_async, many),
    CALL(cuMemcpy3DBatchAsync_v2, memcpy_batch_async, many),
    CALL(cuMemcpy3DBatchAsync_v2_ptsz, memcpy_batch_async, many),

    CALL(cuMemsetD8_v2, memset, one),
    CALL(cuMemsetD8_v2_ptds, memset, one),
    CALL(cuMemsetD16_v2, memset, one),
    CALL(cuMemsetD16_v2_ptds, memset, one),
    CALL(cuMemsetD32_v2, memset, one),
    CALL(cuMemsetD32_v2_ptds, memset, one),
    CALL(cuMemsetD2D8_v2, memset, maybe),
    CALL(cuMemsetD2D8_v2_ptds, memset, maybe),
    CALL(cuMemsetD2D16_v2, memset, maybe),
    CALL(cuMemsetD2D16_v2_ptds, memset, maybe),
    CALL(cuMemsetD2D32_v2, memset, maybe),
    CALL(cuMemsetD2D32_v2_ptds, memset, maybe),
    CALL(cuMemsetD8Async, memset_async, one),
    CALL(cuMemsetD8Async_ptsz, memset_async, one),
    CALL(cuMemsetD16Async, memset_async, one),
    CALL(cuMemsetD16Async_ptsz, memset_async, one),
    CALL(cuMemsetD32Async, memset_async, one),
    CALL(cuMemsetD32Async_ptsz, memset_async, one),
    CALL(cuMemsetD2D8Async, memset_async, maybe),
    CALL(cuMemsetD2D8Async_ptsz, memset_async, maybe),
    CALL(cuMemsetD2D16Async, memset_async, maybe),
    CALL(cuMemsetD2D16Async_ptsz, memset_async, maybe),
    CALL(cuMemsetD2D32Async, memset_async, maybe),
    CALL(cuMemsetD2D32Async_ptsz, memset_async, maybe),

    CALL_PLAIN(cuCtxSynchronize, context_synchronize),
    CALL_PLAIN(cuCtxSynchronize_v2, context_synchronize),
    CALL(cuStreamSynchronize, stream_synchronize, none),
    CALL(cuStreamSynchronize_ptsz, stream_synchronize, none),
    CALL_PLAIN(cuEventSynchronize, event_synchronize),

    CALL(cuMemAlloc_v2, malloc_, none),
    CALL(cuMemAllocPitch_v2, malloc_, none),
    CALL(cuMemAllocHost_v2, malloc_host, none),
    CALL(cuMemHostAlloc, malloc_host, none),
    CALL_PLAIN(cuMemHostAlloc_v2, malloc_host),
    CALL(cuMemAllocManaged, malloc_managed, none),
    CALL(cuMemAllocAsync, malloc_async, none),
    CALL(cuMemAllocAsync_ptsz, malloc_async, none),
    CALL(cuMemAllocFromPoolAsync, malloc_async, none),
    CALL(cuMemAllocFromPoolAsync_ptsz, malloc_async, none),
    CALL_PLAIN(cuMemFree_v2, free_),
    CALL_PLAIN(cuMemFreeHost, free_host),
    CALL(cuMemFreeAsync, free_async, none),
    CALL(cuMemFreeAsync_ptsz, free_async, none),
    CALL(cuMemHostRegister, host_register, none),
    CALL(cuMemHostRegister_v2, host_register, none),
    CALL_PLAIN(cuMemHostUnregister, host_unregister),
    CALL(cuMemCreate, memory_create, none),
    CALL(cuMemMap, memory_map, none),
    CALL(cuMemSetAccess, memory_map, none),
    CALL(cuMemUnmap, memory_unmap, none),
    CALL_PLAIN(cuMemRelease, memory_unmap),
    CALL_PLAIN(cuMemPoolTrimTo, pool_trim),

    CALL_PLAIN(cuModuleLoad, module_load),
    CALL_PLAIN(cuModuleLoadData, module_load),
    CALL_PLAIN(cuModuleLoadDataEx, module_load),
    CALL_PLAIN(cuModuleLoadFatBinary, module_load),
    CALL_PLAIN(cuModuleUnload, module_unload),
    CALL_PLAIN(cuLibraryLoadData, library_load),
    CALL_PLAIN(cuLibraryLoadFromFile, library_load),
    CALL_PLAIN(cuLibraryUnload, module_unload),
    CALL_PLAIN(cuKernelGetFunction, function_load),
    CALL_PLAIN(cuModuleGetFunction, function_load),
    CALL_PLAIN(cuLibraryGetModule, function_load),

    CALL_PLAIN(cuGraphInstantiate, graph_instantiate),
    CALL_PLAIN(cuGraphInstantiate_v2, graph_instantiate),
    CALL_PLAIN(cuGraphInstantiateWithFlags, graph_instantiate),
    CALL_PLAIN(cuGraphInstantiateWithParams, graph_instantiate),
    CALL_PLAIN(cuGraphInstantiateWithParams_ptsz, graph_instantiate),
    CALL_PLAIN(cuGraphExecUpdate, graph_exec_update),
    CALL_PLAIN(cuGraphExecUpdate_v2, graph_exec_update),
    CALL_PLAIN(cuGraphUpload, graph_upload),
    CALL_PLAIN(cuGraphUpload_ptsz, graph_upload),

    CALL_PLAIN(cuProfilerStart, profiler_start),
    CALL_PLAIN(cuProfilerStop, profiler_stop),
};

#undef CALL
#undef CALL_PLAIN

// Not what the headers know: a library that is newer than they are has more.
constexpr std::size_t kIds = [] {
  std::size_t ids = 0;
  for (const CallInfo& call : kCalls) ids = std::max<std::size_t>(ids, call.cbid + 1);
  return ids;
}();
static_assert(std::size(kCalls) < 255);

// 0: not in the table, else the index + 1.
constexpr auto kIndex = [] {
  std::array<std::uint8_t, kIds> index{};
  for (std::size_t i = 0; i < std::size(kCalls); ++i) {
    index[kCalls[i].cbid] = static_cast<std::uint8_t>(i + 1);
  }
  return index;
}();

}  // namespace

absl::Span<const CallInfo> call_table() { return kCalls; }

const CallInfo* find_call(std::uint32_t cbid) noexcept {
  const std::uint8_t i = cbid < kIds ? kIndex[cbid] : std::uint8_t{0};
  return i == 0 ? nullptr : &kCalls[i - 1];
}

}  // namespace gapscope::cupti
