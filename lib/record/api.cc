#include "record/api.h"

#include <array>

namespace gapscope {
namespace {

struct Row {
  std::string_view name;
  ApiCategory category;
};

using enum ApiCategory;

// In the order of ApiId.
constexpr std::array<Row, static_cast<std::size_t>(ApiId::count_)> kRows{{
    {"unknown call", other},
    {"cudaLaunchKernel", launch},
    {"cudaLaunchKernelExC", launch},
    {"cudaLaunchCooperativeKernel", launch},
    {"cudaLaunchCooperativeKernelMultiDevice", launch},
    {"cudaGraphLaunch", graph_launch},
    {"cuMemcpyHtoD", copy},
    {"cuMemcpyDtoH", copy},
    {"cuMemcpyDtoD", copy},
    {"cudaMemcpy", copy},
    {"cuMemcpyHtoDAsync", copy},
    {"cuMemcpyDtoHAsync", copy},
    {"cuMemcpyDtoDAsync", copy},
    {"cudaMemcpyAsync", copy},
    {"cudaMemcpyToArray", copy},
    {"cudaMemcpy2D", copy},
    {"cudaMemcpy2DAsync", copy},
    {"cudaMemcpy3D", copy},
    {"cudaMemcpy3DAsync", copy},
    {"cudaMemcpyPeer", copy},
    {"cudaMemcpyPeerAsync", copy},
    {"cudaMemcpyBatchAsync", copy},
    {"cudaMemset", set},
    {"cudaMemsetAsync", set},
    {"cudaDeviceSynchronize", sync},
    {"cudaStreamSynchronize", sync},
    {"cudaEventSynchronize", sync},
    {"cudaMalloc", alloc},
    {"cudaMallocHost", alloc},
    {"cudaMallocManaged", alloc},
    {"cudaMallocAsync", alloc},
    {"cudaFree", free_},
    {"cudaFreeHost", free_},
    {"cudaFreeAsync", free_},
    {"cudaHostRegister", alloc},
    {"cudaHostUnregister", free_},
    {"cuMemCreate", alloc},
    {"cuMemMap", alloc},
    {"cuMemUnmap", free_},
    {"cudaMemPoolTrimTo", free_},
    {"cuModuleLoadData", module_load},
    {"cuModuleUnload", module_load},
    {"cuLibraryLoadData", module_load},
    {"cuKernelGetFunction", module_load},
    {"cudaGraphInstantiate", graph_build},
    {"cudaGraphExecUpdate", graph_build},
    {"cudaGraphUpload", graph_build},
    {"cudaProfilerStart", profiler},
    {"cudaProfilerStop", profiler},
}};

const Row& row(ApiId id) {
  const auto i = static_cast<std::size_t>(id);
  return kRows[i < kRows.size() ? i : 0];
}

}  // namespace

std::string_view api_name(ApiId id) { return row(id).name; }

ApiCategory api_category(ApiId id) { return row(id).category; }

std::string_view category_name(ApiCategory category) {
  switch (category) {
    case launch:
      return "launch";
    case graph_launch:
      return "graph launch";
    case copy:
      return "copy";
    case set:
      return "set";
    case sync:
      return "blocking sync";
    case alloc:
      return "allocation";
    case free_:
      return "free";
    case module_load:
      return "module load";
    case graph_build:
      return "graph build";
    case profiler:
      return "profiler control";
    case other:
    case count_:
      break;
  }
  return "other";
}

}  // namespace gapscope
