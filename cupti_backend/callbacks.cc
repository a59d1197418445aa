#include "callbacks.h"

#include "runtime/clock.h"

namespace gapscope::cupti {
namespace {

// Stream handles are addresses below 2^63, so a thread's own default stream gets one above.
constexpr std::uint64_t kPerThreadStream = std::uint64_t{1} << 63;

std::uint64_t stream_key(const CallDetails& details, bool per_thread_form, std::uint32_t thread) {
  const auto per_thread_handle = reinterpret_cast<std::uint64_t>(CU_STREAM_PER_THREAD);
  const auto legacy_handle = reinterpret_cast<std::uint64_t>(CU_STREAM_LEGACY);
  if (details.stream_handle == per_thread_handle ||
      (details.stream_handle == 0 && per_thread_form)) {
    return kPerThreadStream | thread;
  }
  return details.stream_handle == legacy_handle ? 0 : details.stream_handle;
}

// Far more than any call lasts, far less than the time since 1970.
constexpr std::uint64_t kLongestCallNs = std::uint64_t{1} << 47;  // 39 hours

bool moves_bytes(ApiCategory category) {
  return category == ApiCategory::copy || category == ApiCategory::set;
}

bool may_be_captured(ApiCategory category) {
  return category == ApiCategory::launch || moves_bytes(category) ||
         category == ApiCategory::graph_launch;
}

}  // namespace

void Callbacks::attach(RingSet* rings, Wake* collector_wake) noexcept {
  rings_ = rings;
  wake_ = collector_wake;
  recording_.store(true, std::memory_order_relaxed);
}

void CUPTIAPI Callbacks::entry(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data) {
  auto& me = *static_cast<Callbacks*>(self);
  if (!me.recording()) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    me.driver_call(*static_cast<const CUpti_CallbackData*>(data), id);
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    // Created between a launch's enter and exit: the launch is being captured into a graph.
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      if (ThreadRing* local = me.rings_->local()) ++local->graph_nodes_created;
    }
  } else if (domain == CUPTI_CB_DOMAIN_STATE && id == CUPTI_CBID_STATE_FATAL_ERROR) {
    me.dead_.store(true, std::memory_order_release);
    me.stop_recording();
    me.wake_->wake();
  }
}

void Callbacks::driver_call(const CUpti_CallbackData& data, CUpti_CallbackId id) noexcept {
  const CallInfo* call = find_call(id);
  if (call == nullptr) return;
  if (!cuda_is_up_.load(std::memory_order_relaxed)) {
    cuda_is_up_.store(true, std::memory_order_relaxed);
  }
  ThreadRing* local = rings_->local();
  if (data.callbackSite == CUPTI_API_ENTER) {
    enter(data, local);
    return;
  }
  if (local == nullptr) {
    rings_->count_unringed(RecordKind::api_call);
    return;
  }
  exit(data, *call, *local);
  if (wake_->is_deep() || (local->ring.looks_half_full() && wake_->is_asleep())) wake_->wake();
}

void Callbacks::enter(const CUpti_CallbackData& data, ThreadRing* ring) noexcept {
  const std::uint64_t now = now_ns();
  // Also without a ring: the thread may have one when the call ends.
  *data.correlationData = now;
  if (ring == nullptr) return;
  ThreadRing& local = *ring;
  // Calls nest rarely (one driver call inside another); the outermost entry bounds them all.
  // relaxed: the collector reads it as a lower bound for records that are still to come.
  if (local.in_call_since_ns.load(std::memory_order_relaxed) == 0) {
    local.in_call_since_ns.store(now, std::memory_order_relaxed);
    local.outermost_correlation_id = data.correlationId;
    local.graph_nodes_created = 0;
  }
}

void Callbacks::exit(const CUpti_CallbackData& data, const CallInfo& call,
                     ThreadRing& local) noexcept {
  const std::uint64_t now = now_ns();
  std::uint64_t start = *data.correlationData;
  if (start > now) start = now;  // a step of the clock
  // Else its entry was not seen, recording began inside this call: what stands there is CUPTI's.
  if (now - start <= kLongestCallNs) {
    if (call.api == ApiId::profiler_start || call.api == ApiId::profiler_stop) {
      write_capture_mark(call.api, local, start, now);
    }
    write_call(data, call, local, start, now);
  }
  if (local.outermost_correlation_id == data.correlationId) {
    // release: whoever sees 0 here also sees the record in the ring.
    local.in_call_since_ns.store(0, std::memory_order_release);
  }
  if (data.correlationId % kSampleEvery == 0) sample_cost(data.correlationId, now);
}

void Callbacks::write_call(const CUpti_CallbackData& data, const CallInfo& call, ThreadRing& local,
                           std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
  void* place = local.ring.reserve(sizeof(ApiCallRecord), RecordKind::api_call);
  if (place == nullptr) return;
  CallDetails details;
  if (call.extract != nullptr && data.functionParams != nullptr) {
    call.extract(data.functionParams, &details);
  }
  auto record = make_record<ApiCallRecord>(local.thread_index);
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.stream_handle = stream_key(details, call.per_thread_default, local.thread_index);
  record.bytes = details.bytes;
  record.correlation_id = data.correlationId;
  record.context = data.contextUid;
  record.api = static_cast<std::uint16_t>(call.api);
  record.category = api_category(call.api);
  record.expects = call.expects;
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  record.result = result == nullptr ? 0 : static_cast<std::int32_t>(*result);
  if (record.result != 0) record.header.flags |= kApiFailed;
  if (local.graph_nodes_created != 0 && may_be_captured(record.category)) {
    record.header.flags |= kApiCaptured;
    local.graph_nodes_created = 0;
  }
  if (moves_bytes(record.category) && details.bytes == 0 && record.expects == Expects::one) {
    record.header.flags |= kApiZeroBytes;
  }
  std::memcpy(place, &record, sizeof record);
  local.ring.commit();
}

// On from the exit of cuProfilerStart to the entry of cuProfilerStop: launches between them count.
void Callbacks::write_capture_mark(ApiId api, ThreadRing& local, std::uint64_t start_ns,
                                   std::uint64_t end_ns) noexcept {
  auto mark = make_record<MarkRecord>(local.thread_index);
  const bool on = api == ApiId::profiler_start;
  mark.mark = on ? MarkKind::capture_on : MarkKind::capture_off;
  mark.time_ns = on ? end_ns : start_ns;
  local.ring.push(mark.header);
}

void Callbacks::sample_cost(std::uint32_t, std::uint64_t begin_ns) noexcept {
  // From the exit stamp to here is the bigger half; the entry's half costs about as much as its
  // clock read, which the two reads around this sample stand for.
  const std::uint64_t end = now_ns();
  if (end > begin_ns && end - begin_ns < 1'000'000) {
    sampled_ns_.fetch_add(2 * (end - begin_ns), std::memory_order_relaxed);
  }
}

std::uint64_t Callbacks::estimated_ns() const noexcept {
  return sampled_ns_.load(std::memory_order_relaxed) * kSampleEvery;
}

}  // namespace gapscope::cupti
