#include "decode.h"

#include <cstddef>

namespace gapscope::cupti {
namespace {

// The layout that every version from 11.8 on shares: these structs may be read up to these fields
// whatever library filled the buffer (cupti_versions.h compares the newest ones).
static_assert(offsetof(CUpti_ActivityKernel9, registersPerThread) == 6);
static_assert(offsetof(CUpti_ActivityKernel9, start) == 16);
static_assert(offsetof(CUpti_ActivityKernel9, end) == 24);
static_assert(offsetof(CUpti_ActivityKernel9, deviceId) == 40);
static_assert(offsetof(CUpti_ActivityKernel9, contextId) == 44);
static_assert(offsetof(CUpti_ActivityKernel9, streamId) == 48);
static_assert(offsetof(CUpti_ActivityKernel9, gridX) == 52);
static_assert(offsetof(CUpti_ActivityKernel9, correlationId) == 92);
static_assert(offsetof(CUpti_ActivityKernel9, name) == 104);
static_assert(offsetof(CUpti_ActivityKernel9, graphNodeId) == 144);
static_assert(offsetof(CUpti_ActivityKernel9, graphId) == 156);
static_assert(offsetof(CUpti_ActivityMemcpy5, start) == 16);
static_assert(offsetof(CUpti_ActivityMemcpy5, end) == 24);
static_assert(offsetof(CUpti_ActivityMemcpy5, correlationId) == 44);
static_assert(offsetof(CUpti_ActivityMemcpyPtoP4, start) == 16);
static_assert(offsetof(CUpti_ActivityMemcpyPtoP4, correlationId) == 60);
static_assert(offsetof(CUpti_ActivityMemset4, start) == 16);
static_assert(offsetof(CUpti_ActivityMemset4, correlationId) == 44);

constexpr std::uint64_t kSentinelNs = std::uint64_t{1} << 63;

bool valid_times(std::uint64_t start_ns, std::uint64_t end_ns) {
  return start_ns != 0 && end_ns >= start_ns && end_ns < kSentinelNs;
}

class Decoder {
 public:
  Decoder(RecordSink& sink, Interner& interner, OccupancyTable& occupancy)
      : sink_(sink), interner_(interner), occupancy_(occupancy) {}

  void decode(const CUpti_Activity& activity);
  const DecodeCounts& counts() const { return counts_; }

 private:
  template <typename Out, typename In>
  bool begin(const In& in, Out* out);
  template <typename Out, typename In>
  bool begin_operation(const In& in, Out* out);
  void kernel(const CUpti_ActivityKernel9& in);
  void copy(const CUpti_ActivityMemcpy5& in);
  void peer_copy(const CUpti_ActivityMemcpyPtoP4& in);
  void set(const CUpti_ActivityMemset4& in);
  void sync(const CUpti_ActivitySynchronization& in);
  void overhead(const CUpti_ActivityOverhead& in);
  void graph(const CUpti_ActivityGraphTrace& in);
  void device(const CUpti_ActivityDevice4& in);

  RecordSink& sink_;
  Interner& interner_;
  OccupancyTable& occupancy_;
  DecodeCounts counts_;
};

// Times first: a record with impossible ones is counted and goes no further.
template <typename Out, typename In>
bool Decoder::begin(const In& in, Out* out) {
  if (!valid_times(in.start, in.end)) {
    ++counts_.invalid_timestamps;
    return false;
  }
  *out = make_record<Out>();
  out->start_ns = in.start;
  out->end_ns = in.end;
  return true;
}

// For what a launch waits for: it must learn that no better record will come.
template <typename Out, typename In>
bool Decoder::begin_operation(const In& in, Out* out) {
  if (valid_times(in.start, in.end)) return begin(in, out);
  auto untimed = make_record<UntimedRecord>();
  if (in.end == 0) untimed.header.flags = kUntimedNoEnd;
  untimed.start_ns = in.start < kSentinelNs ? in.start : 0;
  untimed.correlation_id = in.correlationId;
  untimed.device = in.deviceId;
  untimed.context = in.contextId;
  untimed.stream = in.streamId;
  sink_.consume(untimed.header);
  return false;
}

MemoryKind memory_kind(unsigned kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return MemoryKind::pageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return MemoryKind::pinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return MemoryKind::device;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return MemoryKind::array;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return MemoryKind::managed;
    default:
      return MemoryKind::unknown;
  }
}

CopyDirection direction(unsigned kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyDirection::htod;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyDirection::dtoh;
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return CopyDirection::dtod;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return CopyDirection::htoh;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyDirection::ptop;
    default:
      return CopyDirection::unknown;
  }
}

OverheadType overhead_type(unsigned kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return OverheadType::driver_compiler;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return OverheadType::buffer_flush;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return OverheadType::instrumentation;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return OverheadType::resource;
    // By value: 11.8's headers do not have these names.
    case 4u << 16:
      return OverheadType::module_loading;
    case 5u << 16:
      return OverheadType::lazy_function_loading;
    case 6u << 16:
      return OverheadType::command_buffer_full;
    case 7u << 16:
      return OverheadType::buffer_request;
    case 8u << 16:
      return OverheadType::uvm_init;
    default:
      return OverheadType::unknown;
  }
}

void Decoder::kernel(const CUpti_ActivityKernel9& in) {
  KernelRecord out;
  if (!begin_operation(in, &out)) return;
  out.correlation_id = in.correlationId;
  out.device = in.deviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.name_id = interner_.intern_pointer(in.name, sink_);
  out.graph_id = in.graphId;
  out.graph_node_id = in.graphNodeId;
  out.grid[0] = static_cast<std::uint32_t>(in.gridX);
  out.grid[1] = static_cast<std::uint32_t>(in.gridY);
  out.grid[2] = static_cast<std::uint32_t>(in.gridZ);
  out.block[0] = static_cast<std::uint32_t>(in.blockX);
  out.block[1] = static_cast<std::uint32_t>(in.blockY);
  out.block[2] = static_cast<std::uint32_t>(in.blockZ);
  out.registers_per_thread = in.registersPerThread;
  out.static_shared_bytes = static_cast<std::uint32_t>(in.staticSharedMemory);
  out.dynamic_shared_bytes = static_cast<std::uint32_t>(in.dynamicSharedMemory);
  const Occupancy occupancy = occupancy_.of(in);
  out.blocks_per_device = occupancy.blocks_per_device;
  out.blocks_per_sm = occupancy.blocks_per_sm;
  out.occupancy_limits = occupancy.limits;
  sink_.consume(out.header);
}

void Decoder::copy(const CUpti_ActivityMemcpy5& in) {
  CopyRecord out;
  if (!begin_operation(in, &out)) return;
  out.bytes = in.bytes;
  out.correlation_id = in.correlationId;
  out.device = in.deviceId;
  out.peer_device = in.deviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.direction = direction(in.copyKind);
  out.source = memory_kind(in.srcKind);
  out.destination = memory_kind(in.dstKind);
  out.is_async = (in.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  out.graph_id = in.graphId;
  out.graph_node_id = in.graphNodeId;
  sink_.consume(out.header);
}

void Decoder::peer_copy(const CUpti_ActivityMemcpyPtoP4& in) {
  CopyRecord out;
  if (!begin_operation(in, &out)) return;
  out.bytes = in.bytes;
  out.correlation_id = in.correlationId;
  out.device = in.deviceId;
  out.peer_device = in.deviceId == in.dstDeviceId ? in.srcDeviceId : in.dstDeviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.direction = CopyDirection::ptop;
  out.source = memory_kind(in.srcKind);
  out.destination = memory_kind(in.dstKind);
  out.is_async = (in.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  out.graph_id = in.graphId;
  out.graph_node_id = in.graphNodeId;
  sink_.consume(out.header);
}

void Decoder::set(const CUpti_ActivityMemset4& in) {
  SetRecord out;
  if (!begin_operation(in, &out)) return;
  out.bytes = in.bytes;
  out.correlation_id = in.correlationId;
  out.device = in.deviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.memory = memory_kind(in.memoryKind);
  out.graph_id = in.graphId;
  out.graph_node_id = in.graphNodeId;
  sink_.consume(out.header);
}

void Decoder::sync(const CUpti_ActivitySynchronization& in) {
  SyncRecord out;
  if (!begin(in, &out)) return;
  out.correlation_id = in.correlationId;
  out.context = in.contextId;
  out.stream = in.streamId;
  const auto type = static_cast<unsigned>(in.type);
  out.type = type <= 4 ? static_cast<SyncType>(type) : SyncType::unknown;
  sink_.consume(out.header);
}

void Decoder::overhead(const CUpti_ActivityOverhead& in) {
  OverheadRecord out;
  if (!begin(in, &out)) return;
  out.type = overhead_type(static_cast<unsigned>(in.overheadKind));
  if (in.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) out.os_thread_id = in.objectId.pt.threadId;
  sink_.consume(out.header);
}

void Decoder::graph(const CUpti_ActivityGraphTrace& in) {
  GraphRecord out;
  if (!begin_operation(in, &out)) return;
  out.correlation_id = in.correlationId;
  out.device = in.deviceId;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.graph_id = in.graphId;
  sink_.consume(out.header);
}

void Decoder::device(const CUpti_ActivityDevice4& in) {
  if (!occupancy_.knows(in.id)) occupancy_.add(in);
  auto out = make_record<DeviceInfoRecord>();
  out.device = in.id;
  out.sm_count = in.numMultiprocessors;
  out.memory_bytes = in.globalMemorySize;
  out.memory_bandwidth_bytes_per_s = in.globalMemoryBandwidth * 1000;  // given in kB/s
  std::memcpy(out.uuid, &in.uuid, sizeof out.uuid);
  out.compute_capability = in.computeCapabilityMajor * 10 + in.computeCapabilityMinor;
  out.name_id = interner_.intern_pointer(in.name, sink_);
  out.max_threads_per_sm = in.maxWarpsPerMultiprocessor * in.numThreadsPerWarp;
  out.max_blocks_per_sm = in.maxBlocksPerMultiprocessor;
  out.max_registers_per_sm = in.maxRegistersPerMultiprocessor;
  out.max_shared_bytes_per_sm = in.maxSharedMemoryPerMultiprocessor;
  sink_.consume(out.header);
}

void Decoder::decode(const CUpti_Activity& activity) {
  ++counts_.records;
  const void* data = &activity;
  switch (static_cast<unsigned>(activity.kind)) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel(*static_cast<const CUpti_ActivityKernel9*>(data));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(*static_cast<const CUpti_ActivityMemcpy5*>(data));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return peer_copy(*static_cast<const CUpti_ActivityMemcpyPtoP4*>(data));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return set(*static_cast<const CUpti_ActivityMemset4*>(data));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sync(*static_cast<const CUpti_ActivitySynchronization*>(data));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead(*static_cast<const CUpti_ActivityOverhead*>(data));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graph(*static_cast<const CUpti_ActivityGraphTrace*>(data));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return device(*static_cast<const CUpti_ActivityDevice4*>(data));
    default:
      ++counts_.unknown_kinds;
  }
}

// Calls f for each record. False when the buffer could not be read to its end.
template <typename F>
bool for_each_record(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes, F&& f) {
  if (valid_bytes == 0) return true;
  CUpti_Activity* activity = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  while ((result = api.activity_get_next_record(data, valid_bytes, &activity)) == CUPTI_SUCCESS) {
    f(*activity);
  }
  return result == CUPTI_ERROR_MAX_LIMIT_REACHED;
}

// A kernel's occupancy needs its device's limits, which may stand behind it in the first buffer.
void find_devices(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes,
                  OccupancyTable& occupancy) {
  for_each_record(api, data, valid_bytes, [&](const CUpti_Activity& activity) {
    if (activity.kind != CUPTI_ACTIVITY_KIND_DEVICE) return;
    const void* record = &activity;
    occupancy.add(*static_cast<const CUpti_ActivityDevice4*>(record));
  });
}

}  // namespace

DecodeCounts decode_buffer(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes,
                           RecordSink& sink, Interner& interner, OccupancyTable& occupancy) {
  if (!occupancy.knows_any()) find_devices(api, data, valid_bytes, occupancy);
  Decoder decoder(sink, interner, occupancy);
  const bool whole = for_each_record(
      api, data, valid_bytes, [&](const CUpti_Activity& activity) { decoder.decode(activity); });
  DecodeCounts counts = decoder.counts();
  counts.unreadable = !whole;
  return counts;
}

std::uint64_t count_records(const CuptiApi& api, std::uint8_t* data, std::size_t valid_bytes) {
  std::uint64_t n = 0;
  const bool whole = for_each_record(api, data, valid_bytes, [&n](const CUpti_Activity&) { ++n; });
  return whole ? n : n + 1;
}

}  // namespace gapscope::cupti
