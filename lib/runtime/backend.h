// What the session needs of a tracing backend. cupti_backend/ implements it for CUDA; tests bring
// their own. lib/ knows nothing else of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "record/record.h"
#include "report/report.h"
#include "ring/ring_set.h"
#include "runtime/config.h"
#include "runtime/interner.h"
#include "runtime/wake.h"

namespace gapscope {

// What a backend's callbacks may touch. Outlives the backend.
struct BackendHost {
  RingSet* rings = nullptr;
  Wake* collector_wake = nullptr;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Subscribes and enables everything. On an error nothing of the backend stays active and the
  // message is one line for the user: what happened and what to do.
  virtual absl::Status start(const Config& config, const BackendHost& host) = 0;

  // Hands over what has completed; flush thread only. May block inside the driver.
  virtual void flush() = 0;
  // Hands over everything, incomplete records too; flush thread only, once, at the end.
  virtual void flush_forced() = 0;

  // Decodes completed buffers into neutral records; collector thread only. Returns how many
  // buffers were consumed.
  virtual std::size_t collect(RecordSink& sink, Interner& interner) = 0;

  // Facts for the report (MetaRecords, DeviceInfoRecords); collector thread only, after start().
  virtual void describe(RecordSink& sink, Interner& interner) = 0;

  // What was found, in a few words, for GAPSCOPE_VERBOSE; after start().
  virtual std::string found() const { return {}; }

  // Looks at the GPUs' state (uuid and nvml of each), on a thread that nobody must wait for;
  // nullptr where the backend has no such means. since_ns: CLOCK_REALTIME from which on it is asked
  // for.
  using GpuReader = std::vector<report::Gpu> (*)(std::int64_t since_ns);
  virtual GpuReader gpu_reader() const { return nullptr; }

  // Facts that are known only at the end (whether NVTX was attached); collector thread only.
  virtual void conclude(RecordSink& sink) = 0;

  // From now on callbacks return at once and record nothing. Any thread.
  virtual void stop_recording() = 0;

  // True once the tracing layer has died (CUPTI's FATAL_ERROR): no further call into it is made.
  virtual bool is_dead() const = 0;

  // The tracing layer's own clock in nanoseconds, 0 if unknown; collector thread only.
  virtual std::uint64_t timestamp_ns() = 0;

  // Host memory for activity buffers that was really touched.
  virtual std::size_t buffer_bytes() const = 0;
  // Time spent in callbacks, estimated from a sample of them.
  virtual std::uint64_t callback_ns() const = 0;
};

}  // namespace gapscope
