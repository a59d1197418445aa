// What a driver call does: callbacks on the calling thread, work on the device, records of it.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "call_table.h"
#include "clock.h"
#include "fake.h"

namespace fake_cupti {

struct Fake::Call {
  const fake_call_spec& spec;
  const CallInfo& info;
  Origin origin;
  std::uint64_t enter_ns;
  fake_times times;
};

void Fake::call(const fake_call_spec& spec, fake_call_result* result) {
  const CallInfo& info = call_info(spec.api);
  const std::uint32_t context = spec.context == 0 ? spec.device + 1 : spec.context;
  const std::uint32_t stream = spec.stream == 0 ? 7 : spec.stream;
  Call c{spec,
         info,
         {spec.device, context, stream, next_correlation_.fetch_add(1, std::memory_order_relaxed),
          spec.graph, 0},
         wall_ns(),
         {0, 0, FAKE_NO_RECORD}};
  const bool alive = fatal_ns_.load(std::memory_order_acquire) == 0;

  const CallParams params(spec);
  std::uint64_t slot = 12345;  // CUPTI does not promise to clear it
  auto returned = static_cast<CUresult>(spec.result);
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  data.functionName = info.name;
  data.functionParams = params.pointer();
  data.symbolName = info.kind == CallKind::launch ? spec.work.name : nullptr;
  data.contextUid = context;
  data.correlationData = &slot;
  data.correlationId = c.origin.correlation;
  if (alive) subscriber.fire(CUPTI_CB_DOMAIN_DRIVER_API, info.id, &data);

  if (spec.captured != 0 && alive) {
    CUpti_GraphData graph{};
    graph.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
    CUpti_ResourceData resource{};
    resource.resourceDescriptor = &graph;
    subscriber.fire(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &resource);
  } else if (spec.result == 0) {
    switch (info.kind) {
      case CallKind::graph:
        run_graph(c);
        break;
      case CallKind::sync:
        run_sync(c);
        break;
      case CallKind::other:
        break;
      default:
        run_work(c);
    }
  }
  if (spec.host_ns != 0) sleep_ns(spec.host_ns);
  if (info.blocks && info.kind != CallKind::sync) wait_until(c.times.end_ns);

  data.callbackSite = CUPTI_API_EXIT;
  data.functionReturnValue = &returned;
  if (alive) subscriber.fire(CUPTI_CB_DOMAIN_DRIVER_API, info.id, &data);
  if (result == nullptr) return;
  *result = {c.origin.correlation, c.enter_ns, wall_ns(), c.times};
}

void Fake::run_work(Call& c) {
  const fake_work& work = c.spec.work;
  const bool moves_data = c.info.kind != CallKind::launch;
  if (moves_data && work.bytes == 0) return;
  if (c.spec.api == FAKE_MEMCPY_ANY_ASYNC) return;  // host to host: no device takes part
  // After the enter callback: a record never starts before its call was seen.
  const Span span = timeline.place(c.origin.context, c.origin.stream, wall_ns() + work.delay_ns,
                                   work.duration_ns, work.overlap_ns);
  c.times = {span.start_ns, span.end_ns, scripted_fate(work.fate)};
  if (c.info.kind == CallKind::set) {
    queue(set_record(layout, work, c.origin), span, c.times.fate);
  } else if (c.spec.api == FAKE_MEMCPY_PEER_ASYNC) {
    queue(peer_copy_record(layout, work, c.origin, c.spec.peer_device), span, c.times.fate);
  } else if (c.info.kind == CallKind::copy) {
    queue(copy_record(layout, c.spec.api, work, c.origin), span, c.times.fate);
  } else {
    queue(kernel_record(layout, work, c.origin, false), span, c.times.fate);
  }
}

void Fake::run_graph(Call& c) {
  const bool whole = kind_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  Span all{0, 0};
  for (std::uint32_t i = 0; i < c.spec.node_count; ++i) {
    const fake_work& node = c.spec.nodes[i];
    c.origin.graph_node = next_node_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t ready =
        std::max(timeline.stream_end(c.origin.context, c.origin.stream), wall_ns());
    const Span span =
        timeline.place(c.origin.context, c.origin.stream, ready + node.delay_ns, node.duration_ns);
    if (i == 0) all.start_ns = span.start_ns;
    all.end_ns = span.end_ns;
    fake_times times{span.start_ns, span.end_ns, FAKE_NO_RECORD};
    if (!whole) {
      times.fate = scripted_fate(node.fate);
      queue(node.is_set != 0    ? set_record(layout, node, c.origin)
            : node.is_copy != 0 ? copy_record(layout, FAKE_MEMCPY_DTOD_ASYNC, node, c.origin)
                                : kernel_record(layout, node, c.origin, false),
            span, times.fate);
    }
    if (c.spec.node_times != nullptr) c.spec.node_times[i] = times;
  }
  if (c.spec.node_count == 0) return;
  c.times = {all.start_ns, all.end_ns, FAKE_NO_RECORD};
  if (!whole) return;
  c.times.fate = scripted_fate(c.spec.work.fate);
  queue(graph_record(layout, c.origin), all, c.times.fate);
}

void Fake::run_sync(Call& c) {
  const bool context_wide = c.spec.api == FAKE_CTX_SYNCHRONIZE;
  const std::uint64_t begin = wall_ns();
  wait_until(context_wide ? timeline.context_end(c.origin.context)
                          : timeline.stream_end(c.origin.context, c.origin.stream));
  if (!kind_enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  const auto type = context_wide ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE
                    : c.spec.api == FAKE_STREAM_SYNCHRONIZE
                        ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE
                        : CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
  std::uint8_t fate = FAKE_RECORDED;
  queue(sync_record(layout, type, c.origin), {begin, wall_ns()}, fate);
}

void Fake::device_launch(const fake_call_spec& spec, fake_times* times) {
  const Origin origin{spec.device,
                      spec.context == 0 ? spec.device + 1 : spec.context,
                      spec.stream == 0 ? 7 : spec.stream,
                      next_correlation_.fetch_add(1, std::memory_order_relaxed),
                      spec.graph,
                      0};
  const Span span = timeline.place(origin.context, origin.stream, wall_ns() + spec.work.delay_ns,
                                   spec.work.duration_ns);
  std::uint8_t fate = scripted_fate(spec.work.fate);
  queue(kernel_record(layout, spec.work, origin, true), span, fate);
  if (times != nullptr) *times = {span.start_ns, span.end_ns, fate};
}

void Fake::overhead(std::uint32_t kind, std::uint64_t start_ns, std::uint64_t end_ns) {
  std::uint8_t fate = FAKE_RECORDED;
  queue(overhead_record(layout, static_cast<CUpti_ActivityOverheadKind>(kind),
                        static_cast<std::uint32_t>(syscall(SYS_gettid))),
        {start_ns, end_ns}, fate);
}

std::uint8_t Fake::scripted_fate(std::uint8_t wanted) {
  const std::uint64_t n = record_number_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (wanted != FAKE_RECORDED) return wanted;
  const auto hit = [n](std::uint64_t every) { return every != 0 && n % every == 0; };
  if (hit(options.drop_every)) return FAKE_DROPPED;
  if (hit(options.lose_every)) return FAKE_LOST;
  if (hit(options.zero_every)) return FAKE_ZERO_TIME;
  if (hit(options.sentinel_every)) return FAKE_SENTINEL;
  return FAKE_RECORDED;
}

// fate: in, what is to happen; out, FAKE_NO_RECORD where nobody asked for such records.
void Fake::queue(Record record, const Span& span, std::uint8_t& fate) {
  if (!kind_enabled(record.kind()) || !buffers.has_client() ||
      fatal_ns_.load(std::memory_order_acquire) != 0) {
    fate = FAKE_NO_RECORD;
    return;
  }
  const auto offset = static_cast<std::uint64_t>(options.clock_offset_ns);
  record.set_times(span.start_ns + offset, span.end_ns + offset);
  const std::uint64_t now = wall_ns();
  record.complete_ns = steady_ns() + (span.end_ns > now ? span.end_ns - now : 0);
  switch (fate) {
    case FAKE_LOST:
      return;
    case FAKE_DROPPED:
      buffers.count_drop();
      return;
    case FAKE_LATE: {
      std::lock_guard lock(late_mutex_);
      late_.push_back(record);
      return;
    }
    case FAKE_ZERO_TIME:
      record.set_times(0, 0);
      break;
    case FAKE_SENTINEL:
      record.set_times(~0ull, ~0ull);
      break;
    case FAKE_REVERSED:
      record.set_times(span.end_ns + offset, span.start_ns + offset);
      break;
    default:
      break;
  }
  buffers.put(record);
}

std::uint32_t Fake::release_late() {
  std::vector<Record> records;
  {
    std::lock_guard lock(late_mutex_);
    records.swap(late_);
  }
  for (const Record& record : records) buffers.put(record);
  return static_cast<std::uint32_t>(records.size());
}

void Fake::fatal_error(const char* message) {
  log.event("fatal error");
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_UNKNOWN;
  data.notification.message = message;
  subscriber.fire(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
  fatal_ns_.store(steady_ns(), std::memory_order_release);
}

void Fake::wait_until(std::uint64_t wall_end_ns) const {
  const std::uint64_t now = wall_ns();
  if (wall_end_ns > now) sleep_ns(wall_end_ns - now);
}

}  // namespace fake_cupti
