#include "layout.h"

namespace fake_cupti {
namespace {

// The prefix property for the fields that a reader needs, between the first and last struct used.
static_assert(offsetof(CUpti_ActivityKernel8, graphNodeId) ==
              offsetof(CUpti_ActivityKernel10, graphNodeId));
static_assert(offsetof(CUpti_ActivityKernel8, clusterSchedulingPolicy) ==
              offsetof(CUpti_ActivityKernel10, clusterSchedulingPolicy));
static_assert(offsetof(CUpti_ActivityMemcpy5, channelType) ==
              offsetof(CUpti_ActivityMemcpy6, channelType));
static_assert(offsetof(CUpti_ActivitySynchronization, cudaEventId) ==
              offsetof(CUpti_ActivitySynchronization2, cudaEventId));
static_assert(offsetof(CUpti_ActivityOverhead, end) == offsetof(CUpti_ActivityOverhead3, end));
static_assert(offsetof(CUpti_ActivityDevice4, name) == offsetof(CUpti_ActivityDevice5, name));
static_assert(offsetof(CUpti_ActivityGraphTrace, streamId) ==
              offsetof(CUpti_ActivityGraphTrace2, streamId));

constexpr std::uint32_t kApi11_8 = 18;
constexpr std::uint32_t kApi12_2 = 20;
constexpr std::uint32_t kApi12_8 = 26;
constexpr std::uint32_t kApi12_9 = 27;
constexpr std::uint32_t kApi13_0 = 130000;

}  // namespace

Layout Layout::of(std::uint32_t v) {
  Layout l{};
  l.kernel = v >= kApi13_0  ? sizeof(CUpti_ActivityKernel10)
             : v > kApi11_8 ? sizeof(CUpti_ActivityKernel9)
                            : sizeof(CUpti_ActivityKernel8);
  l.copy = v >= kApi12_8 ? sizeof(CUpti_ActivityMemcpy6) : sizeof(CUpti_ActivityMemcpy5);
  l.peer_copy = sizeof(CUpti_ActivityMemcpyPtoP4);
  l.set = sizeof(CUpti_ActivityMemset4);
  l.sync = v >= kApi12_8 ? sizeof(CUpti_ActivitySynchronization2)
                         : sizeof(CUpti_ActivitySynchronization);
  l.overhead = v >= kApi12_8   ? sizeof(CUpti_ActivityOverhead3)
               : v >= kApi12_2 ? sizeof(CUpti_ActivityOverhead2)
                               : sizeof(CUpti_ActivityOverhead);
  l.graph = v >= kApi12_8 ? sizeof(CUpti_ActivityGraphTrace2) : sizeof(CUpti_ActivityGraphTrace);
  l.device = v >= kApi12_8 ? sizeof(CUpti_ActivityDevice5) : sizeof(CUpti_ActivityDevice4);
  l.driver_callbacks = v >= kApi13_0   ? CUPTI_DRIVER_TRACE_CBID_SIZE
                       : v >= kApi12_8 ? CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DBatchAsync_ptsz + 1
                                       : CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile + 1;
  l.null_buffer_allowed = v >= kApi12_9;
  return l;
}

std::size_t Layout::size(CUpti_ActivityKind kind) const {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return peer_copy;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return set;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sync;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead;
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return device;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graph;
    default:
      return 0;
  }
}

}  // namespace fake_cupti
