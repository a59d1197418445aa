// A host for the tests of causes: it calls, samples, collects and opens ranges.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "analysis/attribution.h"
#include "analysis/evidence_text.h"
#include "catch.h"

namespace gapscope {

inline constexpr std::int64_t kUs = 1000, kMs = 1'000'000;

// A host that calls, samples and collects; times in nanoseconds from 0.
class Host {
 public:
  void call(std::int64_t begin, std::int64_t end, ApiId api = ApiId::launch_kernel,
            bool waits = false, std::uint32_t thread = 0, std::uint32_t operations = 1) {
    Call c;
    c.matched = operations;
    c.start_ns = begin;
    c.end_ns = end;
    c.thread = thread;
    c.api = api;
    c.category = api_category(api);
    evidence.add_call(c, waits);
  }
  void sync(std::int64_t begin, std::int64_t end, std::uint32_t thread = 0) {
    call(begin, end, ApiId::stream_synchronize, true, thread);
  }
  void sample(std::int64_t begin, std::int64_t end, std::vector<std::string> frames,
              bool running = true, const char* wait = "", std::uint32_t thread = 0) {
    alignas(8) char bytes[512];
    auto r = make_record<ThreadSampleRecord>(thread);
    r.begin_ns = static_cast<std::uint64_t>(begin);
    r.end_ns = static_cast<std::uint64_t>(end);
    r.on_cpu_ns = running ? r.end_ns - r.begin_ns : 0;
    r.state = running ? 'R' : 'S';
    r.wait_id = *wait == 0 ? kNoString : string(wait);
    r.frame_count = static_cast<std::uint8_t>(frames.size());
    r.header.size_bytes = static_cast<std::uint16_t>(sizeof r + round_up_8(4 * frames.size()));
    std::memcpy(bytes, &r, sizeof r);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::uint32_t id = string(frames[i]);
      std::memcpy(bytes + sizeof r + 4 * i, &id, 4);
    }
    evidence.add_sample(*reinterpret_cast<const RecordHeader*>(bytes));
  }
  void collection(std::int64_t begin, std::int64_t end, std::uint32_t generation) {
    auto r = make_record<GcRecord>();
    r.start_ns = static_cast<std::uint64_t>(begin);
    r.end_ns = static_cast<std::uint64_t>(end);
    r.generation = generation;
    evidence.add(r);
  }
  void overhead(std::int64_t begin, std::int64_t end, OverheadType type, std::uint32_t os_thread) {
    auto r = make_record<OverheadRecord>();
    r.start_ns = static_cast<std::uint64_t>(begin);
    r.end_ns = static_cast<std::uint64_t>(end);
    r.type = type;
    r.os_thread_id = os_thread;
    evidence.add(r);
  }
  void push(std::int64_t at, const std::string& name, std::uint32_t thread = 0) {
    mark(MarkKind::range_push, at, string(name), thread);
  }
  void pop(std::int64_t at, std::uint32_t thread = 0) {
    mark(MarkKind::range_pop, at, kNoString, thread);
  }
  std::uint32_t string(const std::string& text) {
    names.define(++strings, text);
    return strings;
  }
  // The gap's causes; they must add up, whatever else a case asks.
  CauseSlices ask(std::int64_t begin, std::int64_t end, std::int64_t launch_begin,
                  std::int64_t launch_end, std::uint32_t thread = 0) {
    Launch launch;
    launch.start_ns = launch_begin;
    launch.queued_ns = launch_end;
    launch.thread = thread;
    const CauseSlices slices = Attribution(evidence, names, &ranges).attribute(begin, end, launch);
    std::int64_t sum = 0;
    for (const auto& slice : slices) {
      CHECK(slice.ns > 0);
      sum += slice.ns;
    }
    CHECK(sum == end - begin);
    return slices;
  }

  void mark(MarkKind kind, std::int64_t at, std::uint32_t name_id, std::uint32_t thread) {
    RangeMark m;
    m.time_ns = at;
    m.mark = kind;
    m.thread = thread;
    m.name = names.string(name_id);
    m.name_id = name_id;
    ranges.mark(m);
  }

  HostEvidence evidence;
  RangeTracker ranges;
  NameTable names{100};
  std::uint32_t strings = 0;
};

inline std::int64_t of(const CauseSlices& slices, Cause cause) {
  std::int64_t ns = 0;
  for (const auto& slice : slices) ns += slice.cause == cause ? slice.ns : 0;
  return ns;
}

inline std::string words(const Host& host, const CauseSlices& slices, Cause cause) {
  for (const auto& slice : slices) {
    if (slice.cause == cause) return evidence_text(slice.evidence, host.names);
  }
  return "none";
}

}  // namespace gapscope
