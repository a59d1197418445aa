// The result of a run as one plain value: what the sinks print, what JSON holds.
//
// Every duration is integer nanoseconds, every size bytes. Definitions are those of lib/README.md,
// "Definitions". Shares are computed by the sinks from these integers, so that a percentage always
// has its denominator beside it. Vectors are in the order in which they are to be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapscope::report {

inline constexpr int kSchemaVersion = 1;

// Parts of a device's window without overlap. window = compute + comm_exposed + copy_only + idle +
// unknown, exactly.
struct TimeSplit {
  std::int64_t window_ns = 0;        // first to last device operation, capture pauses left out
  std::int64_t compute_ns = 0;       // some kernel that is not communication runs
  std::int64_t comm_exposed_ns = 0;  // communication kernels run and no compute beside them
  std::int64_t copy_only_ns = 0;     // copies or sets run and no kernel
  std::int64_t idle_ns = 0;
  std::int64_t unknown_ns = 0;  // a launch without a device record may have run here
  bool operator==(const TimeSplit&) const = default;
};

// From a bounded histogram: relative error of percentiles at most 1 %; min, max, total exact.
struct Distribution {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t p99_ns = 0;
  double stddev_ns = 0;
  bool operator==(const Distribution&) const = default;
};

// How full the launches of a kernel can make the device, by what a block needs: averages over the
// time of those launches for which it is known.
struct Occupancy {
  std::int64_t known_ns = 0;    // of the kernel's time.total_ns
  double warps = 0;             // that fit a multiprocessor at one time
  std::uint32_t max_warps = 0;  // that a multiprocessor holds at most
  std::string limiter;          // "registers", "shared memory", ...; several when equally tight
  double waves = 0;             // blocks / blocks that fit the device at one time
  double tail = 0;              // share of the block slots of those waves that stay empty
  bool operator==(const Occupancy&) const = default;
};

struct Kernel {
  std::string name;       // demangled and shortened: no template arguments, no parameters
  std::string full_name;  // demangled, whole
  std::string family;     // "GEMM", "convolution", "norm", "element-wise", "communication", ...
  bool communication = false;
  std::int64_t alone_ns = 0;  // this kernel ran and no other operation of its device
  Distribution time;          // of single executions; time.total_ns is a sum over streams
  // Of the last launch seen:
  std::uint32_t grid[3] = {0, 0, 0};
  std::uint32_t block[3] = {0, 0, 0};
  std::uint32_t registers_per_thread = 0;
  std::uint64_t shared_bytes = 0;
  std::optional<Occupancy> occupancy;  // none when not known
  bool operator==(const Kernel&) const = default;
};

struct Family {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;  // sum over streams
  bool operator==(const Family&) const = default;
};

struct Copy {
  std::string direction;  // "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "set"
  std::string source;     // "pageable", "pinned", "device", ...; empty for sets
  std::string destination;
  std::int64_t bytes = 0;
  std::int64_t hidden_ns = 0;    // of time.total_ns, while some kernel ran
  std::int64_t same_stream = 0;  // how many ran on a stream that also ran kernels
  Distribution time;             // time.count copies; total is a sum over streams
  bool operator==(const Copy&) const = default;
};

struct LongGap {
  std::int64_t at_ns = 0;  // its begin, after the device's first operation
  std::int64_t length_ns = 0;
  std::string before;  // short name of the operation that ended last before it
  std::string after;   // and of the one that ended it
  std::string cause;
  bool operator==(const LongGap&) const = default;
};

struct Gaps {
  std::int64_t count = 0;         // all maximal idle intervals
  std::int64_t listed_count = 0;  // of 5 us (kListFloorNs) or more
  std::int64_t listed_ns = 0;
  std::int64_t half_ns = 0;      // half of the idle time is in gaps of this length or more
  std::vector<LongGap> longest;  // at most 5
  struct Bin {
    std::int64_t from_ns, count, total_ns;
    bool operator==(const Bin&) const = default;
  };
  std::vector<Bin> histogram;  // by powers of two
  bool operator==(const Gaps&) const = default;
};

struct Evidence {
  std::string text;
  std::int64_t ns = 0;
  bool operator==(const Evidence&) const = default;
};

// One entry of "why idle". The idle_ns of a device's causes add up to its idle_ns exactly.
struct Cause {
  std::string cause;  // "input pipeline", "synchronisation", ..., "spacing", "unattributed"
  std::int64_t idle_ns = 0;
  std::int64_t gaps = 0;
  std::vector<Evidence> evidence;         // largest first, at most 5
  std::vector<std::int64_t> timeline_ns;  // of idle_ns, in each slice of the device's timeline
  bool operator==(const Cause&) const = default;
};

struct Finding {
  std::string finding;  // "copy not overlapped", "exposed communication", ...
  std::string text;
  std::int64_t ns = 0;
  bool operator==(const Finding&) const = default;
};

struct Device {
  std::uint32_t device = 0;
  std::string name;
  std::string uuid;
  TimeSplit time;
  std::int64_t spacing_ns = 0;       // part of idle: gaps < 5 us whose next operation was queued
  std::int64_t launch_bound_ns = 0;  // part of idle: next operation not yet launched (first-light
                                     // estimate; causes refine it)
  std::int64_t copy_ns = 0;          // union of copies and sets
  std::int64_t copy_overlap_ns = 0;  // of copy_ns, while some kernel ran
  std::int64_t comm_ns = 0;          // union of communication kernels
  std::int64_t comm_overlap_ns = 0;  // of comm_ns, while compute ran
  std::int64_t kernel_sum_ns = 0;    // sum over streams: not busy time
  std::int64_t operations = 0;       // kernels, copies, sets
  std::int64_t streams = 0;
  std::int64_t first_op_ns = 0;  // CLOCK_REALTIME
  std::int64_t last_op_ns = 0;
  std::int64_t graph_granular_ns = 0;  // of compute, known only as whole graphs
  Gaps gaps;
  std::vector<Cause> causes;      // largest first
  std::vector<Finding> findings;  // largest first
  std::vector<Kernel> kernels;  // by alone_ns + share of time.total_ns, largest first; all of them
  std::int64_t kernel_names = 0;  // distinct names seen; more than kernels.size() when capped
  std::vector<Family> families;
  std::vector<Copy> copies;
  struct Slice {
    std::int64_t busy_ns, compute_ns, idle_ns;
    bool operator==(const Slice&) const = default;
  };
  std::vector<Slice> timeline;  // at most 60 slices of slice_ns over the window
  std::int64_t slice_ns = 0;
  bool operator==(const Device&) const = default;
};

struct HostCall {
  std::string name;              // the runtime's word: "cudaLaunchKernel"
  std::string category;          // "launch", "blocking sync", ...
  std::int64_t blocking_ns = 0;  // of time.total_ns, in calls that blocked
  std::int64_t failed = 0;
  std::int64_t captured = 0;
  Distribution time;
  bool operator==(const HostCall&) const = default;
};

// Blocking calls of one name: how the device spent that time.
struct Wait {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t gpu_busy_ns = 0;
  std::int64_t gpu_idle_ns = 0;
  bool operator==(const Wait&) const = default;
};

// The window's four shares; they add up to window_ns.
struct Overlap {
  std::int64_t window_ns = 0;
  std::int64_t both_ns = 0;
  std::int64_t gpu_only_ns = 0;
  std::int64_t cpu_only_ns = 0;
  std::int64_t neither_ns = 0;
  std::string basis;  // what counts as CPU work: "CUDA calls only", or "CUDA calls and sampled
                      // threads"
  bool operator==(const Overlap&) const = default;
};

// One step as it ran: what happened where. Times are parallel lists, since there may be thousands.
struct StepView {
  struct Name {
    std::string name;  // of a kernel, "memcpy HtoD", a call, a cause of idle time
    std::string kind;  // "compute", "communication", "copy", "call", "blocking call", "idle"
    bool operator==(const Name&) const = default;
  };
  struct Track {
    std::string name;                     // "GPU 0 idle", "GPU 0 stream 7", "thread 4711 python"
    std::vector<std::int64_t> at_ns;      // since the step's begin, ascending
    std::vector<std::int64_t> length_ns;  // inside the step
    std::vector<std::int64_t> names;      // indices into StepView::names
    bool operator==(const Track&) const = default;
  };
  std::int64_t index = 0;     // counted from 0
  std::int64_t begin_ns = 0;  // CLOCK_REALTIME
  std::int64_t length_ns = 0;
  std::int64_t left_out = 0;  // operations, calls and idle stretches beyond 5,000 of each
  std::vector<Name> names;
  std::vector<Track> tracks;  // idle time of the first device, streams, threads
  bool operator==(const StepView&) const = default;
};

struct Steps {
  std::string source;  // "marked", "range NAME", "detected", empty when there are none
  Distribution time;
  std::int64_t warmup_steps = 0;
  std::int64_t worst_index = 0;
  std::string worst_cause;
  std::int64_t slow_period = 0;         // every n-th step is slow, 0 if no period
  std::optional<StepView> median_step;  // one whose length was near the median's
  std::optional<StepView> worst_step;   // that of worst_index
  bool operator==(const Steps&) const = default;
};

struct Range {
  std::string path;  // "Step/Forward"
  std::int64_t calls = 0;
  std::int64_t host_ns = 0;
  std::int64_t device_span_ns = 0;  // first enclosed operation's start to last one's end
  std::int64_t device_union_ns = 0;
  std::int64_t idle_ns = 0;  // device idle inside the span
  std::int64_t kernels = 0;
  bool via_thread = false;  // some work was launched by threads that the owner waits for
  bool operator==(const Range&) const = default;
};

// Everything that depends on which part of the run is looked at.
struct Scope {
  std::vector<Device> devices;
  std::vector<HostCall> host_calls;
  std::vector<Wait> waits;
  Overlap overlap;
  std::vector<Range> ranges;
  bool operator==(const Scope&) const = default;
};

struct Advice {
  std::string text;
  std::string source;
  std::string cause;  // what it acts on: an entry of causes[], "copy only", "compute", ...; a diff
                      // counts what it won there
  double before_ms = 0;
  double after_ms = 0;
  bool operator==(const Advice&) const = default;
};

// A library of CUDA's that was mapped, by the file that really was.
struct Library {
  std::string name;     // "cuDNN", "NCCL", ...
  std::string version;  // from the file's name or its wheel's, "" if neither tells
  std::string soname;   // "libcudnn.so.9"
  std::string path;
  bool operator==(const Library&) const = default;
};

struct Package {
  std::string name;
  std::string version;
  std::string source;  // "pip" (anything with a dist-info folder) or "conda"
  std::string build;   // conda's
  bool operator==(const Package&) const = default;
};

struct Variable {
  std::string name;
  std::string value;
  bool operator==(const Variable&) const = default;
};

// What the driver's management library said of a GPU as the process ended; 0 where it did not.
struct Nvml {
  std::int64_t sm_clock_mhz = 0;
  std::int64_t max_sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::int64_t power_mw = 0;
  std::int64_t power_limit_mw = 0;
  std::int64_t temperature_c = 0;
  std::int64_t processes = 0;  // that have a compute context on the GPU, this one included
  double utilisation_pct =
      0;  // of the time since utilisation_since_ns some kernel of any process ran
  std::int64_t utilisation_since_ns = 0;  // CLOCK_REALTIME; 0: of the last moment only
  double own_busy_pct = 0;                // of the same time this process kept the GPU busy
  bool operator==(const Nvml&) const = default;
};

struct Gpu {
  std::uint32_t device = 0;  // CUDA ordinal
  std::string name;
  std::string uuid;
  std::string compute_capability;  // "9.0"
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bandwidth_bytes_per_s = 0;  // 0 if unknown
  std::optional<Nvml> nvml;                        // where it could be asked
  bool operator==(const Gpu&) const = default;
};

// What one needs to run the same thing again. Strings are empty where nothing is known.
struct Environment {
  std::string os;      // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  // "Linux 6.1.0"
  std::string cpu;
  std::string python_version;
  std::string python_path;
  std::string torch_version;
  std::string conda_name;
  std::string conda_prefix;
  std::string virtualenv_prefix;
  std::string git_revision;  // of the working directory's repository
  std::string git_branch;
  std::vector<Gpu> gpus;
  std::vector<Library> libraries;
  std::vector<Package> packages;    // installed beside the interpreter's modules that were mapped
  std::vector<Variable> variables;  // those of a fixed list of names that were set
  bool operator==(const Environment&) const = default;
};

struct Process {
  std::string command;
  std::int64_t pid = 0;
  std::string rank;
  std::string hostname;
  std::string version;
  std::string cupti_path;
  std::string cupti_version;
  std::string driver_version;
  std::string exit_status;
  std::string capture;
  std::string graphs;
  std::string nvtx;
  std::string python;
  std::int64_t cpus = 0;  // that the process may run on, 0 if unknown
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  Environment environment;
  bool operator==(const Process&) const = default;
};

// Counts of records over the whole run, captured range or not.
struct Records {
  std::int64_t seen = 0;           // device operations with valid times
  std::int64_t calls = 0;          // call records
  std::int64_t dropped_ring = 0;   // our rings were full
  std::int64_t dropped_cupti = 0;  // CUPTI's own count, and spare buffers thrown away
  std::int64_t invalid = 0;        // timestamps that cannot be
  std::int64_t incomplete = 0;  // still running at the end: no end known; neither lost nor invalid
  std::int64_t unmatched = 0;   // launches whose device record never came
  std::int64_t orphaned = 0;  // device records without a call (device-launched graphs, lost calls)
  std::int64_t late = 0;      // device records that came after their time had been finalised
  std::int64_t late_ns = 0;   // of their time, what was summed up without them: at most that much
                              // of the idle time was busy
  std::int64_t late_calls = 0;     // calls and marks that came after their time had been finalised
  std::int64_t missing_nodes = 0;  // operations that other launches of the same graph left
  std::int64_t captured = 0;       // launches captured into a graph: no record expected
  std::int64_t failed = 0;         // calls that returned an error
  std::int64_t outside = 0;        // device operations outside GAPSCOPE_CAPTURE
  std::int64_t overflow = 0;       // pending tables at their cap: closed early
  bool operator==(const Records&) const = default;
};

// This library's own figures. Not compared between a live run and its replay.
struct Self {
  std::int64_t callback_ns = 0;  // estimated from a sample of callbacks
  std::int64_t collector_cpu_ns = 0;
  std::int64_t flush_cpu_ns = 0;
  std::int64_t host_cpu_ns = 0;  // sampling what the CPU threads do
  std::int64_t ring_bytes = 0;
  std::int64_t buffer_bytes = 0;
  // CUPTI's share of the program's threads' time, by this machine's calibration; 0: none is known.
  std::int64_t cupti_ns = 0;
  std::int64_t exit_ns = 0;
  std::int64_t rings = 0;
  bool operator==(const Self&) const = default;
};

struct Report {
  int schema_version = kSchemaVersion;
  Process process;
  Scope whole;
  std::optional<Scope> steady;  // where steps are known; the page shows this one
  Steps steps;
  std::int64_t lead_in_ns = 0;  // process start to first device operation
  std::int64_t warmup_ns = 0;   // whole window - steady window, before it
  std::int64_t tail_ns = 0;     // last device operation to end
  std::int64_t complete_until_ns = 0;
  bool truncated = false;          // CUPTI went away in the middle, or the recording ended early
  std::int64_t clock_step_ns = 0;  // the system clock was stepped by that much, all steps added
  std::vector<Advice> advice;
  std::vector<std::string> warnings;
  Records records;
  Self self;
  bool operator==(const Report&) const = default;
};

}  // namespace gapscope::report
