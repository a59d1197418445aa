#include "analysis_scenario.h"

#include <algorithm>
#include <map>

#include "analysis_stream.h"

namespace gapscope::test {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const ScenarioOptions& options)
      : random_(random),
        options_(options),
        id_mask_(options.id_bits < 32 ? (1u << options.id_bits) - 1 : ~0u) {}

  TrueRun run() {
    const int threads = 1 + pick(3);
    const int streams = 1 + pick(4);
    const int devices = 1 + pick(3);
    for (int i = 0; i < streams; ++i) {
      Place place;
      place.device = static_cast<std::uint32_t>(pick(devices));
      place.context = 1 + place.device;
      place.stream = static_cast<std::uint32_t>(7 + i);
      place.handle = static_cast<std::uint64_t>(100 + i);
      places_.push_back(place);
    }
    thread_ns_.assign(static_cast<std::size_t>(threads), 1000);
    next_id_ = options_.id_bits == 32 ? 0xffffffffu - 40 : 1;
    for (int i = 0; i < options_.calls; ++i) {
      // The thread whose call begins first is next, so that streams are filled in order of time.
      const auto next = std::min_element(thread_ns_.begin(), thread_ns_.end());
      one_call(static_cast<std::uint32_t>(next - thread_ns_.begin()));
    }
    if (options_.marks) capture_marks();
    step_marks();
    return std::move(run_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  // Short times mostly, now and then long ones; often equal, to meet ties.
  std::int64_t some_ns() {
    const int sort = pick(20);
    if (sort == 0) return 0;
    if (sort < 12) return pick(8) * 100;
    return sort < 18 ? pick(4000) : pick(40000);
  }
  std::uint32_t next_id() { return next_id_++ & id_mask_; }

  void one_call(std::uint32_t thread) {
    Place place = places_[static_cast<std::size_t>(pick(static_cast<int>(places_.size())))];
    place.thread = thread;
    std::int64_t& now = thread_ns_[thread];
    // Ids that wrap do so after a long time.
    const bool wraps = options_.id_bits < 32 && (next_id_ & id_mask_) == 0;
    if (wraps && !wrapped_) {
      const std::int64_t far =
          *std::max_element(thread_ns_.begin(), thread_ns_.end()) + 7'200'000'000'000;
      for (auto& t : thread_ns_) t = far;
    }
    wrapped_ = wraps;
    const std::int64_t end = now + some_ns();
    const int sort = pick(100);
    if (sort < 12) {
      wait(place, now, end);
    } else if (sort < 18) {
      const auto api = chance(50) ? ApiId::malloc_ : ApiId::module_load;
      add(call(api, next_id(), at(now), at(end), Expects::none, place), true);
      now = end;
    } else {
      launch_something(place, sort, now, end);
    }
    now += some_ns();  // where the thread's next call begins
  }

  void wait(const Place& place, std::int64_t& now, std::int64_t end) {
    const bool whole = chance(30);
    for (const auto& [handle, free_ns] : stream_free_ns_) {
      if (whole || handle == place.handle) end = std::max(end, free_ns);
    }
    const auto api = whole ? ApiId::context_synchronize
                           : (chance(80) ? ApiId::stream_synchronize : ApiId::event_synchronize);
    // Devices finish by themselves: a context's sync waits for all streams here, which is allowed.
    add(call(api, next_id(), at(now), at(end), Expects::none, place), true);
    now = end;
  }

  void launch_something(const Place& place, int sort, std::int64_t& now, std::int64_t end) {
    const bool captured = chance(5), failed = !captured && chance(3);
    const bool lost_call = options_.losses && chance(4);
    const bool lost_record = options_.losses && !lost_call && chance(5);
    ApiCallRecord record;
    if (sort < 70) {
      record = launch(next_id(), at(now), at(end), place);
    } else if (sort < 85) {
      record = call(ApiId::memcpy_htod_async, next_id(), at(now), at(end), Expects::one, place);
    } else if (sort < 92) {
      record = call(ApiId::memset_async, next_id(), at(now), at(end), Expects::one, place);
    } else {
      record = call(ApiId::graph_launch, next_id(), at(now), at(end), Expects::many, place);
    }
    record.header.flags = captured ? kApiCaptured : failed ? kApiFailed : 0;
    const int index = static_cast<int>(run_.calls.size());
    if (!captured && !failed) operations(place, record, index, !lost_record);
    // A blocking copy lasts as long as its operation.
    if (record.category == ApiCategory::copy && chance(40) && !run_.operations.empty()) {
      record.end_ns = std::max<std::uint64_t>(record.end_ns, at(run_.operations.back().end_ns));
      end = static_cast<std::int64_t>(record.end_ns);
    }
    if (record.category == ApiCategory::launch && chance(6)) {
      run_.queue_full.push_back({place.thread, now + pick(100), end + 100 + pick(100)});
    }
    add(record, !lost_call);
    now = end;
  }

  void operations(const Place& place, const ApiCallRecord& record, int index, bool delivered) {
    const int count = record.expects == Expects::many ? 1 + pick(6) : 1;
    for (int i = 0; i < count; ++i) {
      TrueOperation op;
      op.kind = record.category == ApiCategory::copy  ? RecordKind::copy
                : record.category == ApiCategory::set ? RecordKind::set
                                                      : RecordKind::kernel;
      op.name_id = static_cast<std::uint32_t>(1 + pick(3));
      op.id = record.correlation_id;
      op.device = place.device, op.context = place.context, op.stream = place.stream;
      op.graph_id = record.expects == Expects::many ? 40 + static_cast<std::uint32_t>(count) : 0;
      op.bytes = static_cast<std::uint64_t>(64 * (1 + pick(9)));
      op.call = index;
      op.delivered = delivered;
      std::int64_t& free_ns = stream_free_ns_[place.handle];
      // In order, sometimes overlapping the one before (programmatic dependent launch).
      const std::int64_t early = chance(10) ? pick(150) : 0;
      const std::int64_t ready = std::max(free_ns - early, last_start_ns_[place.handle]);
      op.start_ns = std::max(ready, static_cast<std::int64_t>(record.start_ns) + pick(3) * 100);
      op.end_ns = std::max(op.start_ns + some_ns(), free_ns);
      free_ns = op.end_ns;
      last_start_ns_[place.handle] = op.start_ns;
      run_.operations.push_back(op);
    }
  }

  void add(const ApiCallRecord& record, bool delivered) {
    run_.calls.push_back({record, delivered});
  }
  static std::uint64_t at(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }

  void capture_marks() {
    const std::int64_t end = *std::max_element(thread_ns_.begin(), thread_ns_.end());
    std::vector<std::uint64_t> times;
    for (int i = 0; i < 2 + 2 * pick(3); ++i) times.push_back(random_() % at(end));
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < times.size(); ++i) {
      run_.marks.push_back(mark(i % 2 ? MarkKind::capture_off : MarkKind::capture_on, times[i]));
    }
  }
  void step_marks() {
    const std::int64_t end = *std::max_element(thread_ns_.begin(), thread_ns_.end());
    for (int i = 0; i < options_.steps; ++i) {
      const std::int64_t even = end / (options_.steps + 1) * (i + 1);
      run_.marks.push_back(mark(MarkKind::step, at(even + pick(20))));
    }
  }

  std::mt19937_64& random_;
  ScenarioOptions options_;
  std::uint32_t id_mask_;
  TrueRun run_;
  std::vector<Place> places_;
  std::vector<std::int64_t> thread_ns_;
  std::map<std::uint64_t, std::int64_t> stream_free_ns_;
  std::map<std::uint64_t, std::int64_t> last_start_ns_;
  std::uint32_t next_id_ = 0;
  bool wrapped_ = false;
};

Bytes operation_bytes(const TrueOperation& op) {
  Place place;
  place.device = op.device, place.context = op.context, place.stream = op.stream;
  const auto start = static_cast<std::uint64_t>(op.start_ns);
  const auto end = static_cast<std::uint64_t>(op.end_ns);
  if (op.kind == RecordKind::copy) return bytes_of(copy(op.id, start, end, op.bytes, place));
  if (op.kind == RecordKind::set) {
    SetRecord record = set(op.id, start, end, place);
    record.bytes = op.bytes;
    return bytes_of(record);
  }
  KernelRecord record = kernel(op.id, start, end, op.name_id, place);
  record.graph_id = op.graph_id;
  return bytes_of(record);
}

}  // namespace

TrueRun random_run(std::mt19937_64& random, const ScenarioOptions& options) {
  return Generator(random, options).run();
}

std::vector<Interval> capture_ranges(const TrueRun& run) {
  std::vector<Interval> ranges;
  for (const MarkRecord& m : run.marks) {
    const auto time = static_cast<std::int64_t>(m.time_ns);
    if (m.mark == MarkKind::capture_on) ranges.push_back({time, INT64_MAX});
    if (m.mark == MarkKind::capture_off) ranges.back().second = time;
  }
  return ranges;
}

std::vector<Delivery> deliveries(const TrueRun& run, std::mt19937_64& random, bool in_order) {
  std::vector<Delivery> list;
  for (const auto& [record, delivered] : run.calls) {
    if (!delivered) continue;
    list.push_back({bytes_of(record), static_cast<std::int64_t>(record.end_ns),
                    static_cast<std::int64_t>(record.start_ns), INT64_MAX});
  }
  for (const TrueOperation& op : run.operations) {
    if (!op.delivered) continue;
    const bool announced = op.call >= 0 && run.calls[op.call].delivered;
    // Without a call nothing holds the watermark before it ends but the flush.
    const std::int64_t call_ns =
        announced ? static_cast<std::int64_t>(run.calls[op.call].record.end_ns) : 0;
    list.push_back({operation_bytes(op),
                    std::max(op.end_ns, call_ns) + 1 + static_cast<std::int64_t>(random() % 3000),
                    INT64_MAX, announced ? op.end_ns : op.start_ns});
  }
  for (const MarkRecord& m : run.marks) {
    const auto time = static_cast<std::int64_t>(m.time_ns);
    list.push_back({bytes_of(m), time, time, INT64_MAX});
  }
  for (const QueueFullTime& full : run.queue_full) {
    auto record = make_record<OverheadRecord>();
    record.type = OverheadType::command_buffer_full;
    record.start_ns = static_cast<std::uint64_t>(full.start_ns);
    record.end_ns = static_cast<std::uint64_t>(full.end_ns);
    record.os_thread_id = 9000 + full.thread;
    list.push_back({bytes_of(record), full.end_ns, INT64_MAX, full.start_ns});
  }
  std::shuffle(list.begin(), list.end(), random);
  if (in_order) {
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.order_ns < b.order_ns; });
  }
  return list;
}

std::vector<Bytes> definitions() {
  std::vector<Bytes> list = {string_def(1, "gemm_kernel"), string_def(2, "relu_kernel"),
                             string_def(3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL")};
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    auto info = make_record<ThreadInfoRecord>(thread);
    info.os_thread_id = 9000 + thread;
    list.push_back(bytes_of(info));
  }
  return list;
}

Bytes tick_bytes(bool final_tick, std::int64_t now_ns, std::int64_t floor_ns,
                 std::int64_t flushed_ns) {
  return bytes_of(tick(final_tick ? TickKind::final_ : TickKind::flushed,
                       static_cast<std::uint64_t>(now_ns), static_cast<std::uint64_t>(floor_ns),
                       static_cast<std::uint64_t>(flushed_ns)));
}

}  // namespace gapscope::test
