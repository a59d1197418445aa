// Writes streams of records by hand for tests of analysis.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "record/api.h"
#include "record/record.h"

namespace gapscope::test {

// One record with its bytes, text included.
using Bytes = std::vector<std::uint64_t>;

template <typename T>
Bytes bytes_of(const T& record) {
  Bytes bytes(sizeof(T) / 8);
  std::memcpy(bytes.data(), &record, sizeof(T));
  return bytes;
}

template <typename T>
Bytes bytes_of(T record, std::string_view text) {
  record.text_bytes = static_cast<decltype(record.text_bytes)>(text.size());
  record.header.size_bytes = static_cast<std::uint16_t>(round_up_8(sizeof(T) + text.size()));
  Bytes bytes(record.header.size_bytes / 8);
  std::memcpy(bytes.data(), &record, sizeof(T));
  std::memcpy(reinterpret_cast<char*>(bytes.data()) + sizeof(T), text.data(), text.size());
  return bytes;
}

inline Bytes string_def(std::uint32_t id, std::string_view text) {
  auto r = make_record<StringDefRecord>();
  r.id = id;
  return bytes_of(r, text);
}

inline Bytes meta(MetaKey key, std::string_view text) {
  auto r = make_record<MetaRecord>();
  r.key = key;
  return bytes_of(r, text);
}

inline MarkRecord mark(MarkKind kind, std::uint64_t time_ns, std::uint32_t thread = 0) {
  auto r = make_record<MarkRecord>(thread);
  r.mark = kind;
  r.time_ns = time_ns;
  return r;
}

inline TickRecord tick(TickKind kind, std::uint64_t now_ns, std::uint64_t floor_ns,
                       std::uint64_t flushed_ns) {
  auto r = make_record<TickRecord>();
  r.tick = kind;
  r.now_ns = now_ns;
  r.host_floor_ns = floor_ns;
  r.flushed_ns = flushed_ns;
  return r;
}

// A tick that vouches for everything before now_ns.
inline TickRecord tick(std::uint64_t now_ns) {
  return tick(TickKind::flushed, now_ns, now_ns, now_ns);
}

struct Place {
  std::uint32_t device = 0;
  std::uint32_t context = 1;
  std::uint32_t stream = 7;
  std::uint64_t handle = 70;
  std::uint32_t thread = 0;
};

inline KernelRecord kernel(std::uint32_t id, std::uint64_t start_ns, std::uint64_t end_ns,
                           std::uint32_t name_id = 1, const Place& at = {}) {
  auto r = make_record<KernelRecord>();
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.correlation_id = id;
  r.device = at.device;
  r.context = at.context;
  r.stream = at.stream;
  r.name_id = name_id;
  for (int i = 0; i < 3; ++i) r.grid[i] = r.block[i] = 1;
  return r;
}

inline CopyRecord copy(std::uint32_t id, std::uint64_t start_ns, std::uint64_t end_ns,
                       std::uint64_t bytes = 1024, const Place& at = {}) {
  auto r = make_record<CopyRecord>();
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.correlation_id = id;
  r.device = r.peer_device = at.device;
  r.context = at.context;
  r.stream = at.stream;
  r.bytes = bytes;
  r.direction = CopyDirection::htod;
  r.source = MemoryKind::pageable;
  r.destination = MemoryKind::device;
  return r;
}

inline SetRecord set(std::uint32_t id, std::uint64_t start_ns, std::uint64_t end_ns,
                     const Place& at = {}) {
  auto r = make_record<SetRecord>();
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.correlation_id = id;
  r.device = at.device;
  r.context = at.context;
  r.stream = at.stream;
  r.bytes = 64;
  r.memory = MemoryKind::device;
  return r;
}

inline ApiCallRecord call(ApiId api, std::uint32_t id, std::uint64_t start_ns, std::uint64_t end_ns,
                          Expects expects, const Place& at = {}, std::uint8_t flags = 0) {
  auto r = make_record<ApiCallRecord>(at.thread);
  r.header.flags = flags;
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.stream_handle = at.handle;
  r.correlation_id = id;
  r.context = at.context;
  r.api = static_cast<std::uint16_t>(api);
  r.category = api_category(api);
  r.expects = expects;
  return r;
}

inline ApiCallRecord launch(std::uint32_t id, std::uint64_t start_ns, std::uint64_t end_ns,
                            const Place& at = {}, std::uint8_t flags = 0) {
  return call(ApiId::launch_kernel, id, start_ns, end_ns, Expects::one, at, flags);
}

inline ApiCallRecord sync(std::uint64_t start_ns, std::uint64_t end_ns, const Place& at = {}) {
  return call(ApiId::stream_synchronize, 0, start_ns, end_ns, Expects::none, at);
}

// An Analysis that is fed record by record.
class Fed {
 public:
  explicit Fed(const AnalysisOptions& options = {}) : analysis(options) {
    add(string_def(1, "gemm_kernel"));
    add(string_def(2, "relu_kernel"));
    add(string_def(3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  }
  Fed& add(const Bytes& bytes) {
    analysis.consume(*reinterpret_cast<const RecordHeader*>(bytes.data()));
    return *this;
  }
  template <typename T>
  Fed& add(const T& record) {
    return add(bytes_of(record));
  }
  // A launch and its kernel.
  Fed& run(std::uint32_t id, std::uint64_t call_ns, std::uint64_t start_ns, std::uint64_t end_ns,
           std::uint32_t name_id = 1, const Place& at = {}) {
    return add(launch(id, call_ns, call_ns + 2, at)).add(kernel(id, start_ns, end_ns, name_id, at));
  }
  report::Report finish(std::uint64_t now_ns = 1'000'000) {
    add(tick(TickKind::final_, now_ns, now_ns, now_ns));
    return analysis.report();
  }

  Analysis analysis;
};

}  // namespace gapscope::test
