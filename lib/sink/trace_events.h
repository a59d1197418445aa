// Events of the Chrome trace format as PyTorch's profiler (Kineto) writes them, one at a time into
// a file. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "sink/trace_file.h"

namespace gapscope::sink {

// Microseconds with three decimals, exactly.
std::string microseconds(std::int64_t ns);

// Where an event is drawn.
struct Track {
  std::uint64_t process;  // the device's ordinal, or the process id
  std::uint64_t thread;   // the stream, or the operating system's thread id
};

class TraceEvents {
 public:
  explicit TraceEvents(TraceFile& file) : file_(file) {}

  // What stands before the events. base_ns: what their times count from, CLOCK_REALTIME.
  void open(std::int64_t rank, std::int64_t world_size, std::int64_t base_ns);
  // Ends the list of events; more: further keys, each with a comma before it.
  void close(std::string_view more);

  // name: a JSON string; args: the inside of a JSON object. Times are CLOCK_REALTIME.
  void complete(std::string_view category, std::string_view name, const Track& track,
                std::int64_t start_ns, std::int64_t end_ns, std::string_view args);
  void instant(std::string_view category, std::string_view name, const Track& track,
               std::int64_t time_ns, std::string_view args);
  // An arrow from a call to its operation.
  void flow_begin(std::uint32_t id, const Track& track, std::int64_t time_ns);
  void flow_end(std::uint32_t id, const Track& track, std::int64_t time_ns);
  // key: process_name, thread_name, ...; field and value: of its args; value is JSON.
  void metadata(std::string_view key, const Track& track, std::string_view field,
                std::string_view value);

 private:
  template <typename... T>
  void put(fmt::format_string<T...> format, T&&... values);

  TraceFile& file_;
  fmt::memory_buffer line_;
  std::int64_t base_ns_ = 0;
  bool first_ = true;
};

}  // namespace gapscope::sink
