#include "call_table.h"

#include <array>
#include <cstring>

namespace fake_cupti {
namespace {

#define ROW(name, kind, blocks) \
  { CUPTI_DRIVER_TRACE_CBID_##name, #name, CallKind::kind, blocks }
// In the order of fake_api.
constexpr std::array<CallInfo, FAKE_API_COUNT> kCalls{{
    ROW(cuLaunchKernel, launch, false),
    ROW(cuLaunchKernel_ptsz, launch, false),
    ROW(cuLaunchKernelEx, launch, false),
    ROW(cuLaunchKernelEx_ptsz, launch, false),
    ROW(cuLaunchCooperativeKernel, launch, false),
    ROW(cuGraphLaunch, graph, false),
    ROW(cuMemcpyHtoD_v2, copy, true),
    ROW(cuMemcpyDtoH_v2, copy, true),
    ROW(cuMemcpyHtoDAsync_v2, copy, false),
    ROW(cuMemcpyDtoHAsync_v2, copy, false),
    ROW(cuMemcpyDtoDAsync_v2, copy, false),
    ROW(cuMemcpyAsync, copy, false),
    ROW(cuMemcpyPeerAsync, copy, false),
    ROW(cuMemsetD8Async, set, false),
    ROW(cuMemsetD32_v2, set, false),
    ROW(cuCtxSynchronize, sync, true),
    ROW(cuStreamSynchronize, sync, true),
    ROW(cuEventSynchronize, sync, true),
    ROW(cuMemAlloc_v2, other, false),
    ROW(cuMemFree_v2, other, false),
    ROW(cuMemAllocAsync, other, false),
    ROW(cuMemFreeAsync, other, false),
    ROW(cuModuleLoadData, other, false),
    ROW(cuLibraryLoadData, other, false),
    ROW(cuGraphInstantiateWithFlags, other, false),
    ROW(cuProfilerStart, other, false),
    ROW(cuProfilerStop, other, false),
}};
#undef ROW

CUstream stream_of(const fake_call_spec& spec) {
  return reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(spec.stream_handle));
}

unsigned at_least_one(std::uint32_t n) { return n == 0 ? 1 : n; }

}  // namespace

const CallInfo& call_info(fake_api api) { return kCalls[static_cast<std::size_t>(api)]; }

template <typename T>
void CallParams::set(const T& params) {
  static_assert(sizeof(T) <= sizeof(bytes_));
  std::memcpy(bytes_, &params, sizeof(T));
  has_ = true;
}

CallParams::CallParams(const fake_call_spec& spec) {
  switch (call_info(spec.api).kind) {
    case CallKind::launch:
      fill_launch(spec);
      break;
    case CallKind::copy:
    case CallKind::set:
      fill_copy(spec);
      break;
    default:
      fill_memory(spec);
  }
}

void CallParams::fill_launch(const fake_call_spec& spec) {
  const fake_work& w = spec.work;
  if (spec.api == FAKE_LAUNCH_KERNEL_EX || spec.api == FAKE_LAUNCH_KERNEL_EX_PTSZ) {
    config_ = {at_least_one(w.grid[0]),
               at_least_one(w.grid[1]),
               at_least_one(w.grid[2]),
               at_least_one(w.block[0]),
               at_least_one(w.block[1]),
               at_least_one(w.block[2]),
               0,
               stream_of(spec),
               nullptr,
               0};
    set(cuLaunchKernelEx_params{&config_, nullptr, nullptr, nullptr});
    return;
  }
  cuLaunchKernel_params p{};
  p.gridDimX = at_least_one(w.grid[0]);
  p.gridDimY = at_least_one(w.grid[1]);
  p.gridDimZ = at_least_one(w.grid[2]);
  p.blockDimX = at_least_one(w.block[0]);
  p.blockDimY = at_least_one(w.block[1]);
  p.blockDimZ = at_least_one(w.block[2]);
  p.hStream = stream_of(spec);
  // The cooperative form has the same fields up to the stream.
  static_assert(offsetof(cuLaunchCooperativeKernel_params, hStream) ==
                offsetof(cuLaunchKernel_params, hStream));
  static_assert(offsetof(cuLaunchKernel_ptsz_params, hStream) ==
                offsetof(cuLaunchKernel_params, hStream));
  set(p);
}

void CallParams::fill_copy(const fake_call_spec& spec) {
  const std::size_t bytes = spec.work.bytes;
  const CUstream stream = stream_of(spec);
  switch (spec.api) {
    case FAKE_MEMCPY_HTOD:
      set(cuMemcpyHtoD_v2_params{0x1000, this, bytes});
      break;
    case FAKE_MEMCPY_DTOH:
      set(cuMemcpyDtoH_v2_params{this, 0x1000, bytes});
      break;
    case FAKE_MEMCPY_HTOD_ASYNC:
      set(cuMemcpyHtoDAsync_v2_params{0x1000, this, bytes, stream});
      break;
    case FAKE_MEMCPY_DTOH_ASYNC:
      set(cuMemcpyDtoHAsync_v2_params{this, 0x1000, bytes, stream});
      break;
    case FAKE_MEMCPY_DTOD_ASYNC:
      set(cuMemcpyDtoDAsync_v2_params{0x1000, 0x2000, bytes, stream});
      break;
    case FAKE_MEMCPY_ANY_ASYNC:
      set(cuMemcpyAsync_params{0x1000, 0x2000, bytes, stream});
      break;
    case FAKE_MEMCPY_PEER_ASYNC:
      set(cuMemcpyPeerAsync_params{0x1000, nullptr, 0x2000, nullptr, bytes, stream});
      break;
    case FAKE_MEMSET_D8_ASYNC:
      set(cuMemsetD8Async_params{0x1000, 0, bytes, stream});
      break;
    case FAKE_MEMSET_D32:
      set(cuMemsetD32_v2_params{0x1000, 0, bytes / 4});
      break;
    default:
      break;
  }
}

void CallParams::fill_memory(const fake_call_spec& spec) {
  const std::size_t bytes = spec.work.bytes;
  const CUstream stream = stream_of(spec);
  switch (spec.api) {
    case FAKE_GRAPH_LAUNCH:
      set(cuGraphLaunch_params{nullptr, stream});
      break;
    case FAKE_STREAM_SYNCHRONIZE:
      set(cuStreamSynchronize_params{stream});
      break;
    case FAKE_EVENT_SYNCHRONIZE:
      set(cuEventSynchronize_params{nullptr});
      break;
    case FAKE_MEM_ALLOC:
      set(cuMemAlloc_v2_params{&address_, bytes});
      break;
    case FAKE_MEM_FREE:
      set(cuMemFree_v2_params{0x1000});
      break;
    case FAKE_MEM_ALLOC_ASYNC:
      set(cuMemAllocAsync_params{&address_, bytes, stream});
      break;
    case FAKE_MEM_FREE_ASYNC:
      set(cuMemFreeAsync_params{0x1000, stream});
      break;
    case FAKE_MODULE_LOAD_DATA:
      set(cuModuleLoadData_params{nullptr, nullptr});
      break;
    case FAKE_LIBRARY_LOAD_DATA:
      set(cuLibraryLoadData_params{});
      break;
    case FAKE_GRAPH_INSTANTIATE:
      set(cuGraphInstantiateWithFlags_params{});
      break;
    default:
      break;  // cuCtxSynchronize and cuProfilerStart/Stop take none
  }
}

}  // namespace fake_cupti
