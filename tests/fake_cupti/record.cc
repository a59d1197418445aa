#include "record.h"

#include <cstring>

#include <unistd.h>

namespace fake_cupti {
namespace {

template <typename T>
Record cut(const T& full, std::size_t size) {
  static_assert(sizeof(T) <= sizeof(Record::bytes));
  Record r;
  std::memcpy(r.bytes.data(), &full, size);
  r.size = size;
  r.start_offset = offsetof(T, start);
  r.end_offset = offsetof(T, end);
  return r;
}

template <typename T>
void fill_origin(T& r, const Origin& origin) {
  r.deviceId = origin.device;
  r.contextId = origin.context;
  r.streamId = origin.stream;
  r.correlationId = origin.correlation;
  r.graphNodeId = origin.graph_node;
  r.graphId = origin.graph;
}

std::int32_t at_least_one(std::uint32_t n) { return n == 0 ? 1 : static_cast<std::int32_t>(n); }

}  // namespace

CUpti_ActivityKind Record::kind() const {
  CUpti_ActivityKind k;
  std::memcpy(&k, bytes.data(), sizeof k);
  return k;
}

void Record::set_times(std::uint64_t start_ns, std::uint64_t end_ns) {
  std::memcpy(bytes.data() + start_offset, &start_ns, sizeof start_ns);
  std::memcpy(bytes.data() + end_offset, &end_ns, sizeof end_ns);
}

Record kernel_record(const Layout& layout, const fake_work& work, const Origin& origin,
                     bool device_launched) {
  CUpti_ActivityKernel10 k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.registersPerThread = 32;
  k.completed = CUPTI_TIMESTAMP_UNKNOWN;
  fill_origin(k, origin);
  k.gridX = at_least_one(work.grid[0]);
  k.gridY = at_least_one(work.grid[1]);
  k.gridZ = at_least_one(work.grid[2]);
  k.blockX = at_least_one(work.block[0]);
  k.blockY = at_least_one(work.block[1]);
  k.blockZ = at_least_one(work.block[2]);
  k.staticSharedMemory = 1024;
  k.gridId = origin.correlation;
  k.name = work.name == nullptr ? "_Z11fake_kernelPf" : work.name;
  k.isDeviceLaunched = device_launched ? 1 : 0;
  return cut(k, layout.kernel);
}

Record copy_record(const Layout& layout, fake_api api, const fake_work& work,
                   const Origin& origin) {
  CUpti_ActivityMemcpy6 c{};
  c.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  const auto host = static_cast<std::uint8_t>(
      work.pinned != 0 ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  const auto device = static_cast<std::uint8_t>(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  c.srcKind = c.dstKind = device;
  switch (api) {
    case FAKE_MEMCPY_HTOD:
    case FAKE_MEMCPY_HTOD_ASYNC:
      c.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
      c.srcKind = host;
      break;
    case FAKE_MEMCPY_DTOH:
    case FAKE_MEMCPY_DTOH_ASYNC:
      c.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
      c.dstKind = host;
      break;
    default:
      c.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  }
  const bool blocking = api == FAKE_MEMCPY_HTOD || api == FAKE_MEMCPY_DTOH;
  c.flags = blocking ? 0 : CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  c.bytes = work.bytes;
  c.copyCount = 1;
  fill_origin(c, origin);
  return cut(c, layout.copy);
}

Record peer_copy_record(const Layout& layout, const fake_work& work, const Origin& origin,
                        std::uint32_t peer_device) {
  CUpti_ActivityMemcpyPtoP4 c{};
  c.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  c.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  c.srcKind = c.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  c.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  c.bytes = work.bytes;
  c.srcDeviceId = origin.device;
  c.srcContextId = origin.context;
  c.dstDeviceId = peer_device;
  c.dstContextId = peer_device + 1;
  fill_origin(c, origin);
  return cut(c, layout.peer_copy);
}

Record set_record(const Layout& layout, const fake_work& work, const Origin& origin) {
  CUpti_ActivityMemset4 s{};
  s.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  s.bytes = work.bytes;
  s.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  s.flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
  fill_origin(s, origin);
  return cut(s, layout.set);
}

Record graph_record(const Layout& layout, const Origin& origin) {
  CUpti_ActivityGraphTrace2 g{};
  g.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  g.correlationId = origin.correlation;
  g.deviceId = g.endDeviceId = origin.device;
  g.contextId = g.endContextId = origin.context;
  g.streamId = origin.stream;
  g.graphId = origin.graph;
  return cut(g, layout.graph);
}

Record sync_record(const Layout& layout, CUpti_ActivitySynchronizationType type,
                   const Origin& origin) {
  CUpti_ActivitySynchronization2 s{};
  s.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  s.type = type;
  s.correlationId = origin.correlation;
  s.contextId = origin.context;
  s.streamId = type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE
                   ? origin.stream
                   : static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  s.cudaEventId = static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  return cut(s, layout.sync);
}

Record overhead_record(const Layout& layout, CUpti_ActivityOverheadKind kind,
                       std::uint32_t thread) {
  CUpti_ActivityOverhead3 o{};
  o.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  o.overheadKind = kind;
  o.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  o.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  o.objectId.pt.threadId = thread;
  return cut(o, layout.overhead);
}

// Told once, when CUDA comes up. Figures of an H200.
Record device_record(const Layout& layout, std::uint32_t device) {
  CUpti_ActivityDevice5 d{};
  d.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  d.globalMemoryBandwidth = 4'800'000'000;  // kBytes per second
  d.globalMemorySize = 150ull << 30;
  d.numMultiprocessors = 132;
  d.maxWarpsPerMultiprocessor = 64;
  d.numThreadsPerWarp = 32;
  d.maxBlocksPerMultiprocessor = 32;
  d.maxRegistersPerMultiprocessor = 65536;
  d.maxSharedMemoryPerMultiprocessor = 233472;
  d.maxRegistersPerBlock = 65536;
  d.maxSharedMemoryPerBlock = 49152;
  d.maxThreadsPerBlock = 1024;
  d.computeCapabilityMajor = 9;
  d.id = device;
  d.uuid.bytes[15] = static_cast<char>(device + 1);
  d.name = "Fake H200";
  d.isCudaVisible = 1;
  Record r;
  static_assert(sizeof d <= sizeof r.bytes);
  std::memcpy(r.bytes.data(), &d, layout.device);
  r.size = layout.device;
  return r;
}

}  // namespace fake_cupti
