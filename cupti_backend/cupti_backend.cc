#include "cupti_backend.h"

#include <fmt/format.h>

#include "decode.h"
#include "nvtx.h"
#include "runtime/abi/instance.h"
#include "runtime/clock.h"
#include "runtime/files.h"

namespace gapscope::cupti {
namespace {

// CUPTI's buffer callbacks carry no user data. Set once before the callbacks are registered.
std::atomic<CuptiBackend*> g_backend{nullptr};

// From this version on CUPTI takes "no buffer" for an answer and counts what it drops.
constexpr std::uint32_t kNullBufferVersion = 27;

// Not SYNCHRONIZATION: it costs every launch (0.4 us, in PyTorch more), and blocking calls are
// known from their callbacks.
constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_OVERHEAD,
};

std::string permission_remedy() {
  return "not permitted to trace the GPU: set the kernel module option "
         "NVreg_RestrictProfilingToAdminUsers=0, or run as root / with CAP_SYS_ADMIN (in a "
         "container: --cap-add=SYS_ADMIN)";
}

}  // namespace

CuptiBackend::CuptiBackend() = default;
CuptiBackend::~CuptiBackend() = default;

absl::Status CuptiBackend::start(const Config& config, const BackendHost& host) {
  auto api = load_cupti({config.cupti_path, config.cuda_home});
  if (!api.ok()) return api.status();
  api_ = *std::move(api);
  anonymous_ = config.anonymous;
  pool_ = std::make_unique<BufferPool>(config.buffer_bytes, config.buffer_limit_bytes);
  overflow_pool_ = std::make_unique<BufferPool>(kOverflowBufferBytes, kOverflowBytes);
  completed_ = std::make_unique<BufferRing>(4 * pool_->count());
  occupancy_ = std::make_unique<OccupancyTable>(api_.version);
  g_backend.store(this, std::memory_order_release);
  if (const absl::Status status = subscribe(); !status.ok()) return status;
  callbacks_.attach(host.rings, host.collector_wake);
  if (const absl::Status status = enable_activities(config); !status.ok()) {
    callbacks_.stop_recording();
    unsubscribe_after_error();
    return status;
  }
  enable_callbacks();
  return absl::OkStatus();
}

// Always before anything is enabled: without a subscription another tool in the process
// (torch.profiler) would take our buffers away.
absl::Status CuptiBackend::subscribe() {
  char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 64] = "";
  CUptiResult result = CUPTI_ERROR_UNKNOWN;
  if (api_.subscribe_v2 != nullptr) {
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "gapscope";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder;
    result = api_.subscribe_v2(&subscriber_, &Callbacks::entry, &callbacks_, &params);
  } else {
    result = api_.subscribe(&subscriber_, &Callbacks::entry, &callbacks_);
  }
  if (result == CUPTI_SUCCESS) return absl::OkStatus();
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    holder[sizeof holder - 1] = '\0';
    return absl::FailedPreconditionError(
        fmt::format("another tool holds CUPTI{}{}: run without it (nsys, ncu, a debugger, "
                    "torch.profiler), then try again",
                    holder[0] != '\0' ? ": " : "", holder));
  }
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    return absl::PermissionDeniedError(permission_remedy());
  }
  return absl::UnavailableError(
      fmt::format("CUPTI ({}) cannot be used: {}", api_.path, api_.result_text(result)));
}

absl::Status CuptiBackend::enable_activities(const Config& config) {
  if (api_.set_thread_id_type != nullptr) {
    api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  }
  CUptiResult result = api_.activity_register_callbacks(&buffer_requested, &buffer_completed);
  if (result != CUPTI_SUCCESS) {
    return absl::UnavailableError(
        fmt::format("CUPTI took no activity buffers: {}", api_.result_text(result)));
  }
  for (const CUpti_ActivityKind kind : kKinds) {
    result = api_.activity_enable(kind);
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
      return absl::PermissionDeniedError(permission_remedy());
    }
    const bool needed = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    if (result != CUPTI_SUCCESS && needed) {
      return absl::UnavailableError(
          fmt::format("CUPTI does not trace kernels: {}", api_.result_text(result)));
    }
  }
  if (config.graphs == GraphMode::graph) api_.activity_enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  return absl::OkStatus();
}

void CuptiBackend::enable_callbacks() {
  // An id that this version does not have is refused; that is expected.
  for (const CallInfo& call : call_table()) {
    api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call.cbid);
  }
  api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                       CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
}

void CuptiBackend::unsubscribe_after_error() {
  for (const CUpti_ActivityKind kind : kKinds) api_.activity_disable(kind);
  api_.unsubscribe(subscriber_);
  subscriber_ = nullptr;
}

// Inside a launch or on a thread of CUPTI's: no lock, no allocation.
void CuptiBackend::buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                    std::size_t* max_records) {
  CuptiBackend* self = g_backend.load(std::memory_order_acquire);
  *max_records = 0;
  *size = self->pool_->buffer_bytes();
  *buffer = self->pool_->take();
  if (*buffer != nullptr) return;
  *size = self->overflow_pool_->buffer_bytes();
  *buffer = self->overflow_pool_->take();
  if (*buffer != nullptr) return;
  *size = 0;
  if (self->api_.version >= kNullBufferVersion) return;
  // Such a version crashes without a buffer.
  *buffer = SpareBuffers::make();
  *size = *buffer == nullptr ? 0 : SpareBuffers::kBytes;
}

void CuptiBackend::buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                    std::size_t size, std::size_t valid_size) {
  CuptiBackend* self = g_backend.load(std::memory_order_acquire);
  if (buffer == nullptr) return;
  if (self->overflow_pool_->owns(buffer)) return self->throw_away(buffer, valid_size);
  if (!self->pool_->owns(buffer)) return self->spares_.push(buffer, valid_size);
  CompletedBuffer completed;
  completed.data = buffer;
  completed.size_bytes = size;
  completed.valid_bytes = valid_size;
  completed.context = context;
  completed.stream = stream;
  self->completed_->push(completed);  // has room for the whole pool
}

// Where CUPTI hands it back, so that it is free again however late the collector is.
void CuptiBackend::throw_away(std::uint8_t* buffer, std::size_t valid_bytes) {
  overflow_records_.fetch_add(count_records(api_, buffer, valid_bytes), std::memory_order_relaxed);
  overflow_pool_->give_back(buffer);
}

std::size_t CuptiBackend::collect(RecordSink& sink, Interner& interner) {
  if (is_dead()) return 0;
  std::size_t taken = 0;
  CompletedBuffer buffer;
  // Bounded: threads that still launch while the process exits may fill buffers for ever.
  while (taken < pool_->count() && completed_->pop(&buffer)) {
    take_in(buffer, sink, interner);
    ++taken;
  }
  auto quality = make_record<DataQualityRecord>();
  quality.dropped_buffers = overflow_records_.exchange(0, std::memory_order_relaxed);
  spares_.take([&](std::uint8_t* data, std::size_t valid_bytes) {
    quality.dropped_buffers += count_records(api_, data, valid_bytes);
    ++taken;
  });
  if (quality.dropped_buffers > 0) sink.consume(quality.header);
  return taken;
}

void CuptiBackend::take_in(const CompletedBuffer& buffer, RecordSink& sink, Interner& interner) {
  const DecodeCounts counts =
      decode_buffer(api_, buffer.data, buffer.valid_bytes, sink, interner, *occupancy_);
  auto quality = make_record<DataQualityRecord>();
  quality.dropped_cupti = newly_dropped();
  pool_->give_back(buffer.data);
  quality.invalid_timestamps = counts.invalid_timestamps;
  quality.unknown_kinds = counts.unknown_kinds;
  if (counts.unreadable) {
    quality.dropped_buffers = 1;  // at least
    emit_meta(
        MetaKey::warning,
        "CUPTI could not read a buffer of records to its end: more may be lost than is counted",
        sink);
  }
  if (quality.dropped_cupti + quality.dropped_buffers + quality.invalid_timestamps +
          quality.unknown_kinds >
      0) {
    sink.consume(quality.header);
  }
}

// CUPTI's own count since the last look; of the global queue, which all buffers belong to.
std::uint64_t CuptiBackend::newly_dropped() {
  std::size_t dropped = 0;
  const bool told = api_.activity_get_num_dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS;
  return told ? dropped : 0;
}

// Never before CUDA is up: cuInit goes on for up to seconds after the injection, and a flush from
// another thread deadlocks with it. Nothing is lost by waiting: no operation has run yet.
void CuptiBackend::flush() {
  if (callbacks_.cuda_is_up()) api_.activity_flush_all(0);
}

void CuptiBackend::flush_forced() {
  if (callbacks_.cuda_is_up()) api_.activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void CuptiBackend::describe(RecordSink& sink, Interner&) {
  emit_meta(MetaKey::cupti_path, anonymous_ ? without_folders(api_.path) : api_.path, sink);
  emit_meta(MetaKey::cupti_version, fmt::format("{}", api_.version), sink);
}

std::string CuptiBackend::found() const {
  return fmt::format("libcupti {} (version {})", api_.path, api_.version);
}

void CuptiBackend::conclude(RecordSink& sink) {
  // What was dropped after the last buffer had come.
  auto quality = make_record<DataQualityRecord>();
  quality.dropped_cupti = is_dead() ? 0 : newly_dropped();
  if (quality.dropped_cupti > 0) sink.consume(quality.header);
  emit_meta(MetaKey::nvtx, nvtx_state(), sink);
}

void CuptiBackend::stop_recording() { callbacks_.stop_recording(); }

bool CuptiBackend::is_dead() const { return callbacks_.is_dead(); }

std::uint64_t CuptiBackend::timestamp_ns() {
  std::uint64_t t = 0;
  if (api_.get_timestamp == nullptr || api_.get_timestamp(&t) != CUPTI_SUCCESS) return 0;
  return t;
}

std::size_t CuptiBackend::buffer_bytes() const { return pool_ ? pool_->touched_bytes() : 0; }

std::uint64_t CuptiBackend::callback_ns() const { return callbacks_.estimated_ns(); }

}  // namespace gapscope::cupti

namespace gapscope {

std::unique_ptr<Backend> make_backend() { return std::make_unique<cupti::CuptiBackend>(); }

}  // namespace gapscope
