// The language every room speaks: small, trivially copyable records.
//
// Every record starts with a RecordHeader and is a multiple of 8 bytes long. Times are nanoseconds
// of CLOCK_REALTIME (CUPTI's domain, see lib/runtime/clock.h); sizes are bytes. The same bytes
// travel through the rings, into analysis and onto disk (recording.h), so a recording replays to
// the report of the live run. Fields only ever grow at the end of a struct; a reader of an older
// recording zero-fills what is missing (`record_cast`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace gapscope {

// Values are part of the recording format: never renumber, only append.
enum class RecordKind : std::uint8_t {
  none = 0,
  kernel = 1,          // KernelRecord, from the device
  copy = 2,            // CopyRecord, from the device (peer copies included)
  set = 3,             // SetRecord, from the device
  sync = 4,            // SyncRecord, CUPTI's synchronisation activity
  overhead = 5,        // OverheadRecord, CUPTI's own and the driver's overhead
  graph = 6,           // GraphRecord, one whole graph launch (GAPSCOPE_GRAPHS=graph)
  api_call = 7,        // ApiCallRecord, one CUDA call of an application thread
  mark = 8,            // MarkRecord, steps, ranges and capture switches
  lost = 9,            // LostRecord, where a full ring dropped records
  tick = 10,           // TickRecord, every decision that a timer makes
  string_def = 11,     // StringDefRecord, an interned string (kernel or range name)
  meta = 12,           // MetaRecord, one fact about the process or the environment
  device_info = 13,    // DeviceInfoRecord
  thread_info = 14,    // ThreadInfoRecord
  data_quality = 15,   // DataQualityRecord, what decoding had to set aside
  clock_step = 16,     // ClockStepRecord, the wall clock was stepped
  thread_sample = 17,  // ThreadSampleRecord, what a launching thread was doing (host/)
  gc = 18,             // GcRecord, one garbage collection of the interpreter (host/)
  throttle = 19,       // ThrottleRecord, cgroup CPU throttling (host/)
  text_mark = 20,      // TextMarkRecord, ring only: a mark with its name inline, not yet interned
  untimed = 21,        // UntimedRecord, a device operation without usable times
  count_               // one past the last
};
inline constexpr std::size_t kRecordKinds = static_cast<std::size_t>(RecordKind::count_);

struct RecordHeader {
  std::uint16_t size_bytes;  // whole record, header and trailing text included; multiple of 8
  RecordKind kind;
  std::uint8_t flags;    // meaning depends on the kind
  std::uint32_t thread;  // dense index of the producing application thread, kNoThread if none
};
inline constexpr std::uint32_t kNoThread = 0xffffffffu;
inline constexpr std::size_t kMaxRecordBytes = 4096;  // longest text included
inline constexpr std::uint32_t kNoString = 0;         // string ids start at 1

// What keeps further blocks of a launch out of a multiprocessor. Several limits may be equally
// tight.
enum OccupancyLimits : std::uint8_t {
  kLimitThreads = 1,
  kLimitRegisters = 2,
  kLimitSharedMemory = 4,
  kLimitBlocks = 8,  // the multiprocessor's number of blocks, whatever their size
  kLimitBarriers = 16,
  kLimitClusters = 32,  // clusters need blocks beside each other: fewer blocks fit the device
};
inline constexpr int kOccupancyLimits = 6;

// One kernel execution. start_ns < 2^63 and start_ns <= end_ns always: of others decode makes an
// UntimedRecord.
struct KernelRecord {
  static constexpr RecordKind kKind = RecordKind::kernel;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation_id;  // CUPTI's; wraps at 2^32
  std::uint32_t device;          // CUDA ordinal in this process
  std::uint32_t context;         // CUPTI context id
  std::uint32_t stream;          // CUPTI stream id, unique within its context
  std::uint32_t name_id;         // StringDefRecord: the mangled name as CUPTI gives it
  std::uint32_t graph_id;        // 0 when not launched from a graph
  std::uint64_t graph_node_id;   // 0 when not launched from a graph
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t registers_per_thread;
  std::uint32_t static_shared_bytes;
  std::uint32_t dynamic_shared_bytes;
  // How many blocks of this launch fit at one time; 0 when not known (older recordings).
  std::uint16_t blocks_per_device;
  std::uint8_t blocks_per_sm;
  std::uint8_t occupancy_limits;  // OccupancyLimits
};

enum class MemoryKind : std::uint8_t { unknown, pageable, pinned, device, array, managed };
enum class CopyDirection : std::uint8_t { unknown, htod, dtoh, dtod, htoh, ptop };

struct CopyRecord {
  static constexpr RecordKind kKind = RecordKind::copy;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint64_t bytes;
  std::uint32_t correlation_id;
  std::uint32_t device;  // device that executes the copy; for peer copies the source device
  std::uint32_t context;
  std::uint32_t stream;
  CopyDirection direction;
  MemoryKind source;
  MemoryKind destination;
  std::uint8_t is_async;
  std::uint32_t peer_device;  // destination device of a peer copy, else == device
  std::uint32_t graph_id;
  std::uint32_t reserved;
  std::uint64_t graph_node_id;
};

struct SetRecord {
  static constexpr RecordKind kKind = RecordKind::set;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint64_t bytes;
  std::uint32_t correlation_id;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  MemoryKind memory;
  std::uint8_t pad[3];
  std::uint32_t graph_id;
  std::uint64_t graph_node_id;
};

// A whole graph launch, when tracing is graph-granular. Its time counts as compute.
struct GraphRecord {
  static constexpr RecordKind kKind = RecordKind::graph;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation_id;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph_id;
  std::uint32_t reserved;
};

enum UntimedFlags : std::uint8_t {
  kUntimedNoEnd = 1,  // no end at all: it was still running, or CUPTI had no time for it
};

// The record of a kernel, copy, set or graph whose times cannot be. Its launch waits for nothing
// more, and when it ran is not known.
struct UntimedRecord {
  static constexpr RecordKind kKind = RecordKind::untimed;
  RecordHeader header;     // flags: UntimedFlags
  std::uint64_t start_ns;  // 0 if not known either
  std::uint32_t correlation_id;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};

enum class SyncType : std::uint8_t {
  unknown,
  event_synchronize,
  stream_wait_event,
  stream_synchronize,
  context_synchronize
};

// CUPTI's synchronisation activity. Evidence for dependencies; a blocking call's own time comes
// from its ApiCallRecord.
struct SyncRecord {
  static constexpr RecordKind kKind = RecordKind::sync;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation_id;
  std::uint32_t context;
  std::uint32_t stream;
  SyncType type;
  std::uint8_t pad[3];
};

enum class OverheadType : std::uint8_t {
  unknown,
  driver_compiler,        // cause: compilation
  buffer_flush,           // cause: profiler
  instrumentation,        // cause: profiler
  resource,               // cause: profiler
  module_loading,         // RUNTIME_TRIGGERED_MODULE_LOADING; cause: compilation, module loading
  lazy_function_loading,  // cause: compilation, module loading
  command_buffer_full,    // the launch queue was full: the call that overlaps it waited
  buffer_request,         // ACTIVITY_BUFFER_REQUEST; cause: profiler
  uvm_init                // UVM_ACTIVITY_INIT; cause: profiler
};

struct OverheadRecord {
  static constexpr RecordKind kKind = RecordKind::overhead;
  RecordHeader header;  // thread: as far as CUPTI's native thread id could be mapped
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t os_thread_id;  // as CUPTI reports it, 0 if not a thread's
  OverheadType type;
  std::uint8_t pad[3];
  std::uint32_t correlation_id;
  std::uint32_t reserved;
};

// What a call will leave in the device records.
enum class Expects : std::uint8_t {
  none,   // no device record follows
  one,    // exactly one kernel, copy or set with this correlation id
  maybe,  // zero or one (for example a host-to-host copy): never counted as unmatched
  many    // graph launch: any number, closed by a later operation of its stream
};

enum class ApiCategory : std::uint8_t {
  other,
  launch,
  graph_launch,
  copy,
  set,
  sync,  // blocks by definition: always waiting
  alloc,
  free_,
  module_load,
  graph_build,  // instantiate, update, upload
  profiler,     // cuProfilerStart/Stop
  count_
};

enum ApiFlags : std::uint8_t {
  kApiFailed = 1,     // returned an error: no device record will come
  kApiCaptured = 2,   // recorded into a graph by stream capture: no device record will come
  kApiZeroBytes = 4,  // a copy or set of nothing: no device record will come
};

// One CUDA driver call of an application thread, written at its exit. header.flags: ApiFlags.
struct ApiCallRecord {
  static constexpr RecordKind kKind = RecordKind::api_call;
  RecordHeader header;
  std::uint64_t start_ns;       // entry
  std::uint64_t end_ns;         // exit
  std::uint64_t stream_handle;  // CUstream as passed; see kStreamPerThread below; 0 legacy default
  std::uint64_t bytes;          // copies, sets and allocations
  std::uint32_t correlation_id;
  std::uint32_t context;  // CUPTI context id (contextUid), 0 if none
  std::uint16_t api;      // ApiId (api.h): name shown to the user
  ApiCategory category;
  Expects expects;
  std::int32_t result;  // CUresult
};

enum class MarkKind : std::uint8_t {
  none,
  step,        // gapscope_step(): a step ends and the next begins here
  range_push,  // nested range of this thread (NVTX push or gapscope_range_push)
  range_pop,
  range_start,  // process-wide range, ended by range_id from any thread
  range_end,
  capture_on,  // cuProfilerStart, gapscope_start
  capture_off,
  instant,  // nvtxMark
};

struct MarkRecord {
  static constexpr RecordKind kKind = RecordKind::mark;
  RecordHeader header;
  std::uint64_t time_ns;
  std::uint64_t range_id;   // range_start/range_end, else 0
  std::uint32_t name_id;    // kNoString if none
  std::uint32_t domain_id;  // string id of the NVTX domain's name, kNoString for the default domain
  MarkKind mark;
  std::uint8_t pad[7];
};

// Ring only: the producer has no intern table, so the names travel inline after the struct
// (text_bytes, not NUL-terminated, cut at kMaxMarkText): first domain_bytes of the domain's name,
// then the range's. The collector turns it into StringDefRecords (when new) and a MarkRecord.
struct TextMarkRecord {
  static constexpr RecordKind kKind = RecordKind::text_mark;
  RecordHeader header;
  std::uint64_t time_ns;
  std::uint64_t range_id;
  std::uint32_t domain_bytes;
  MarkKind mark;
  std::uint8_t pad;
  std::uint16_t text_bytes;
};
inline constexpr std::size_t kMaxMarkText = 512;

// A full ring dropped `count` records at this place of its thread's stream.
// header.flags: kLostTotal: the counts are the totals of all drops so far (those marked before
// included, and those that no ring could mark).
inline constexpr std::uint8_t kLostTotal = 1;
struct LostRecord {
  static constexpr RecordKind kKind = RecordKind::lost;
  RecordHeader header;
  std::uint64_t count;
  std::uint64_t api_calls;  // how many of them were ApiCallRecords
};

enum class TickKind : std::uint8_t {
  periodic,
  flushed,   // a FlushAll(0) returned and all it delivered was consumed before this record
  draining,  // the process is ending: launches are no longer taken
  final_     // everything has been delivered: finalise whatever is left
};

// Written by the collector after each drain. Analysis makes decisions that depend on time only
// here, so a replay makes the same ones.
struct TickRecord {
  static constexpr RecordKind kKind = RecordKind::tick;
  RecordHeader header;
  std::uint64_t now_ns;         // when the drain began
  std::uint64_t host_floor_ns;  // every call record that is still to come has start_ns >= this
                                // (min of the drain's begin and the entry of each call in progress)
  std::uint64_t flushed_ns;     // begin of the last FlushAll(0) whose buffers were all consumed
  TickKind tick;
  std::uint8_t pad[7];
};

// text follows the struct, NUL-padded to the multiple of 8.
struct StringDefRecord {
  static constexpr RecordKind kKind = RecordKind::string_def;
  RecordHeader header;
  std::uint32_t id;
  std::uint32_t text_bytes;
};

enum class MetaKey : std::uint8_t {
  none,
  command,  // as /proc/self/cmdline, blanks between
  pid,
  rank,  // "0/8", empty when not distributed
  hostname,
  version,  // gapscope's
  cupti_path,
  cupti_version,  // API version as CUPTI reports it
  driver_version,
  start_ns,     // when the library was initialised
  end_ns,       // when it stopped recording
  exit_status,  // "0", or empty when unknown
  warning,      // may repeat: one line for the page
  graphs,       // "node" or "graph"
  nvtx,         // "attached", "not attached: reason"
  python,       // interpreter version or why frames are off
  capture,      // GAPSCOPE_CAPTURE as given
  calibration,  // "kernel_ns=...,graph_node_ns=..." measured tracing cost
  cpus,         // how many CPUs the process may run on
  truncated,    // the tracing layer went away in the middle; the text says why
  step_range,   // GAPSCOPE_STEP_RANGE
  environment,  // may repeat: one "key=value" of the environment record
                // (report/environment_lines.h)
};

struct MetaRecord {
  static constexpr RecordKind kKind = RecordKind::meta;
  RecordHeader header;
  MetaKey key;
  std::uint8_t pad;
  std::uint16_t text_bytes;
  std::uint32_t reserved;
};

struct DeviceInfoRecord {
  static constexpr RecordKind kKind = RecordKind::device_info;
  RecordHeader header;
  std::uint32_t device;
  std::uint32_t sm_count;
  std::uint64_t memory_bytes;
  std::uint64_t memory_bandwidth_bytes_per_s;  // 0 if unknown
  std::uint8_t uuid[16];
  std::uint32_t compute_capability;  // 90 for 9.0
  std::uint32_t name_id;
  std::uint32_t max_threads_per_sm;
  std::uint32_t max_blocks_per_sm;
  std::uint32_t max_registers_per_sm;
  std::uint32_t max_shared_bytes_per_sm;
};

struct ThreadInfoRecord {
  static constexpr RecordKind kKind = RecordKind::thread_info;
  RecordHeader header;         // thread: the index
  std::uint32_t os_thread_id;  // gettid()
  std::uint32_t name_id;       // comm name, kNoString if unknown
};

// What decoding set aside, as increments since the last record of this kind.
struct DataQualityRecord {
  static constexpr RecordKind kKind = RecordKind::data_quality;
  RecordHeader header;
  std::uint64_t dropped_cupti;    // cuptiActivityGetNumDroppedRecords
  std::uint64_t dropped_buffers;  // records in spare buffers that had to be thrown away
  // Zero, sentinel or end < start. Of operations only in recordings from before UntimedRecord.
  std::uint64_t invalid_timestamps;
  std::uint64_t unknown_kinds;  // activity kinds that we did not enable
};

struct ClockStepRecord {
  static constexpr RecordKind kKind = RecordKind::clock_step;
  RecordHeader header;
  std::uint64_t time_ns;
  std::int64_t step_ns;  // change of CLOCK_REALTIME - CLOCK_MONOTONIC
};

enum SampleFlags : std::uint8_t {
  kSampleInCall = 1,     // a CUDA call was in progress at end_ns
  kSampleWaitGuess = 2,  // waits_for...: told from what other threads did, not from the lock itself
};

// What a launching thread was doing over (begin_ns, end_ns]; see lib/host/. Frames, innermost
// first, follow the struct as frame_count ids of strings "file:function:line". A thread that a
// launching thread waits for has samples too, with header.thread kNoThread when it launches nothing
// itself. header.flags: SampleFlags.
struct ThreadSampleRecord {
  static constexpr RecordKind kKind = RecordKind::thread_sample;
  RecordHeader header;  // thread: the sampled one
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint64_t on_cpu_ns;  // of that interval, from the thread's CPU clock
  std::uint32_t os_thread_id;
  std::uint32_t wait_id;    // string id: system call or wait channel, kNoString if running
  std::uint32_t waits_for;  // thread index it waits for, kNoThread if unknown
  char state;               // of /proc/.../stat: R S D T ...
  std::uint8_t frame_count;
  std::uint8_t pad[2];
  std::uint32_t waits_for_os_thread;  // the same as gettid(), 0 if unknown
  std::uint32_t waits_for_name_id;    // its name, kNoString if unknown
  std::uint64_t runnable_ns;  // of the interval: ready to run, without a CPU; 0 if not known
};

struct GcRecord {
  static constexpr RecordKind kKind = RecordKind::gc;
  RecordHeader header;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t generation;
  std::uint32_t collected;
  std::uint32_t os_thread_id;  // that collected; all Python threads stand still meanwhile
  std::uint32_t reserved;
};

struct ThrottleRecord {
  static constexpr RecordKind kKind = RecordKind::throttle;
  RecordHeader header;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint64_t throttled_ns;  // of that interval, from cpu.stat
};

constexpr std::size_t round_up_8(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

// A value of T with its header filled in.
template <typename T>
T make_record(std::uint32_t thread = kNoThread) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
  static_assert(offsetof(T, header) == 0 && sizeof(T) <= kMaxRecordBytes);
  T r{};
  r.header = {static_cast<std::uint16_t>(sizeof(T)), T::kKind, 0, thread};
  return r;
}

// Copies a record out, zero-filling fields that an older writer did not have. The caller has
// checked header.kind.
template <typename T>
T record_cast(const RecordHeader& h) {
  T r{};
  if (h.size_bytes >= sizeof(T)) {
    std::memcpy(&r, &h, sizeof(T));  // nearly always: a copy of a size that the compiler knows
  } else {
    std::memcpy(&r, &h, h.size_bytes);
  }
  return r;
}

// Text that follows a StringDefRecord, MetaRecord or TextMarkRecord; empty when the sizes disagree.
template <typename T>
std::string_view trailing_text(const RecordHeader& h) {
  const T r = record_cast<T>(h);
  if (h.size_bytes < sizeof(T) || r.text_bytes > h.size_bytes - sizeof(T)) return {};
  return {reinterpret_cast<const char*>(&h) + sizeof(T), static_cast<std::size_t>(r.text_bytes)};
}

// Who takes records: analysis, a recording, a test. Called on one thread at a time.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void consume(const RecordHeader& record) = 0;
};

}  // namespace gapscope
