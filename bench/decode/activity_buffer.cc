#include "activity_buffer.h"

#include "fmt/format.h"

namespace gapscope::bench {
namespace {

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    default:
      return sizeof(CUpti_ActivityMemset4);
  }
}

template <typename T>
void set_times(T& record, std::uint64_t number) {
  record.start = 1'700'000'000'000'000'000 + number * 10'000;
  record.end = record.start + 8'000;
  record.correlationId = static_cast<std::uint32_t>(number);
  record.contextId = 1;
  record.streamId = 7;
}

}  // namespace

template <typename T>
T& ActivityBuffer::append() {
  static_assert(sizeof(T) % sizeof(std::uint64_t) == 0);
  T* record = new (data() + valid_bytes_) T{};
  valid_bytes_ += sizeof(T);
  ++records_;
  return *record;
}

ActivityBuffer::ActivityBuffer(std::size_t bytes, std::uint32_t names)
    : words_(bytes / sizeof(std::uint64_t)) {
  // As long as templates make them.
  for (std::uint32_t i = 0; i < names; ++i) {
    names_.push_back(
        fmt::format("_ZN2at6native29vectorized_elementwise_kernelILi{:05}E{:080}EvT_", i, 0));
  }
  for (std::uint64_t n = 0; valid_bytes_ + sizeof(CUpti_ActivityKernel10) <= bytes; ++n) {
    // A multiplier without a factor in common with 100: every kind, evenly spread.
    const std::uint64_t what = n * 37 % 100;
    if (what < 4) {
      auto& copy = append<CUpti_ActivityMemcpy6>();
      copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
      copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
      copy.bytes = 1 << 16;
      set_times(copy, n);
    } else if (what < 7) {
      auto& set = append<CUpti_ActivityMemset4>();
      set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
      set.bytes = 1 << 12;
      set_times(set, n);
    } else {
      auto& kernel = append<CUpti_ActivityKernel10>();
      kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
      kernel.name = names_[n * 7919 % names].c_str();
      kernel.gridX = 108, kernel.blockX = 256, kernel.blockY = 1, kernel.blockZ = 1;
      kernel.registersPerThread = static_cast<std::uint16_t>(24 + n * 7919 % names % 8 * 16);
      set_times(kernel, n);
    }
  }
}

cupti::OccupancyTable h200() {
  CUpti_ActivityDevice4 device{};
  device.numMultiprocessors = 132;
  device.numThreadsPerWarp = 32;
  device.maxWarpsPerMultiprocessor = 64;
  device.maxThreadsPerBlock = 1024;
  device.maxRegistersPerBlock = device.maxRegistersPerMultiprocessor = 65536;
  device.maxSharedMemoryPerBlock = 49152;
  device.maxSharedMemoryPerMultiprocessor = 233472;
  device.computeCapabilityMajor = 9;
  cupti::OccupancyTable table(CUPTI_API_VERSION);
  table.add(device);
  return table;
}

CUptiResult CUPTIAPI next_record(std::uint8_t* buffer, std::size_t valid_bytes,
                                 CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace gapscope::bench
