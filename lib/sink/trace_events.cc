#include "sink/trace_events.h"

#include <iterator>
#include <utility>

namespace gapscope::sink {

std::string microseconds(std::int64_t ns) {
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

template <typename... T>
void TraceEvents::put(fmt::format_string<T...> format, T&&... values) {
  line_.clear();
  if (!first_) fmt::format_to(std::back_inserter(line_), ",\n");
  first_ = false;
  fmt::format_to(std::back_inserter(line_), format, std::forward<T>(values)...);
  file_.append({line_.data(), line_.size()});
}

void TraceEvents::open(std::int64_t rank, std::int64_t world_size, std::int64_t base_ns) {
  base_ns_ = base_ns;
  // One key a line: readers look for the rank in the first lines, by a regular expression.
  file_.append(fmt::format(
      "{{\n"
      "\"schemaVersion\": 1,\n"
      "\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}}},\n"
      "\"displayTimeUnit\": \"ms\",\n"
      "\"baseTimeNanoseconds\": {},\n"
      "\"traceEvents\": [\n",
      rank, world_size, base_ns));
}

void TraceEvents::close(std::string_view more) {
  file_.append("\n]");
  file_.append(more);
  file_.append("\n}\n");
}

void TraceEvents::complete(std::string_view category, std::string_view name, const Track& track,
                           std::int64_t start_ns, std::int64_t end_ns, std::string_view args) {
  put(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      category, name, track.process, track.thread, microseconds(start_ns - base_ns_),
      microseconds(end_ns - start_ns), args);
}

void TraceEvents::instant(std::string_view category, std::string_view name, const Track& track,
                          std::int64_t time_ns, std::string_view args) {
  put(R"({{"ph":"i","s":"g","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"args":{{{}}}}})",
      category, name, track.process, track.thread, microseconds(time_ns - base_ns_), args);
}

void TraceEvents::flow_begin(std::uint32_t id, const Track& track, std::int64_t time_ns) {
  put(R"({{"ph":"s","id":{},"cat":"ac2g","name":"ac2g","pid":{},"tid":{},"ts":{}}})", id,
      track.process, track.thread, microseconds(time_ns - base_ns_));
}

void TraceEvents::flow_end(std::uint32_t id, const Track& track, std::int64_t time_ns) {
  put(R"({{"ph":"f","id":{},"cat":"ac2g","name":"ac2g","pid":{},"tid":{},"ts":{},"bp":"e"}})", id,
      track.process, track.thread, microseconds(time_ns - base_ns_));
}

void TraceEvents::metadata(std::string_view key, const Track& track, std::string_view field,
                           std::string_view value) {
  put(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"ts":0,"args":{{"{}":{}}}}})", key, track.process,
      track.thread, field, value);
}

}  // namespace gapscope::sink
