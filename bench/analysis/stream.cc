#include "stream.h"

#include <algorithm>
#include <cstring>

#include "fmt/format.h"

namespace gapscope::bench {
namespace {

constexpr std::int64_t kDrainNs = 10'000'000;
constexpr std::int64_t kFlushNs = 250'000'000;
constexpr std::int64_t kCollectNs = 1'000'000'000;
constexpr std::size_t kQueue = 1024;          // operations that may be launched ahead
constexpr std::size_t kBufferRecords = 5000;  // of an activity buffer
constexpr std::uint32_t kCommunication = 1;   // name ids
constexpr std::uint32_t kFirstKernel = 2;
constexpr std::uint32_t kFrames = 8;  // of a sample, ids behind the kernels'

}  // namespace

std::string StreamSpec::name() const {
  return fmt::format("{}/{}_names/{}/{}", busy ? "busy" : "launch_bound", names,
                     in_order ? "in_order" : "shuffled", host ? "host" : "no_host");
}

void Block::add(const RecordHeader& record) {
  const std::size_t at = words.size();
  words.resize(at + record.size_bytes / sizeof(std::uint64_t));
  std::memcpy(&words[at], &record, record.size_bytes);
  ++records;
}

Stream::Stream(const StreamSpec& spec)
    : spec_(spec), step_(std::max(1000u, spec.names)), queue_(kQueue, 0) {}

void Stream::define_names(Block* block) {
  const auto define = [block](std::uint32_t id, const std::string& text) {
    alignas(8) char bytes[512] = {};
    auto def = make_record<StringDefRecord>();
    def.id = id;
    def.text_bytes = static_cast<std::uint32_t>(text.size());
    def.header.size_bytes = static_cast<std::uint16_t>(round_up_8(sizeof def + text.size()));
    std::memcpy(bytes, &def, sizeof def);
    std::memcpy(bytes + sizeof def, text.data(), text.size());
    block->add(*reinterpret_cast<const RecordHeader*>(bytes));
  };
  define(kCommunication, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  for (std::uint32_t i = 0; i < spec_.names; ++i) {
    define(kFirstKernel + i, fmt::format("_Z{}gemm_kernel_{:05}PfS_i", 17, i));
  }
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    define(kFirstKernel + spec_.names + i, fmt::format("/app/train.py:function_{}:{}", i, 10 * i));
  }
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    auto info = make_record<ThreadInfoRecord>(thread);
    info.os_thread_id = 1000 + thread;
    block->add(info.header);
  }
}

void Stream::call(ApiId api, std::int64_t begin_ns, Expects expects) {
  auto r = make_record<ApiCallRecord>(thread_);
  r.start_ns = static_cast<std::uint64_t>(begin_ns);
  r.end_ns = static_cast<std::uint64_t>(now_ns_);
  r.correlation_id = ++correlation_id_;
  r.context = 1;
  r.api = static_cast<std::uint16_t>(api);
  r.category = api_category(api);
  r.expects = expects;
  calls_.add(r.header);
}

template <typename T>
void Stream::pend(T record, std::int64_t start_ns, std::int64_t end_ns, std::uint32_t stream) {
  record.start_ns = static_cast<std::uint64_t>(start_ns);
  record.end_ns = static_cast<std::uint64_t>(end_ns);
  record.correlation_id = correlation_id_;
  record.context = 1;
  record.stream = 7 + stream;
  Pending pending;
  pending.end_ns = end_ns;
  static_assert(sizeof record <= sizeof pending.record);
  std::memcpy(pending.record, &record, sizeof record);
  pending_.push_back(pending);
}

// what: 0 communication; 1 to 4 copies; 5 to 7 sets; else a kernel.
void Stream::operation(std::uint32_t what, std::int64_t launched_ns) {
  const std::uint32_t stream = what == 0 ? 1 : what <= 4 ? 2 : 0;
  const std::int64_t length_ns = spec_.busy ? between(6'000, 14'000) : between(1'500, 3'000);
  const std::int64_t start_ns =
      std::max(launched_ns + 1'500, free_ns_[stream] + between(600, 1'800));
  const std::int64_t end_ns = start_ns + length_ns;
  free_ns_[stream] = end_ns;
  queue_[launches_ % kQueue] = end_ns;
  if (what >= 1 && what <= 4) {
    auto r = make_record<CopyRecord>();
    r.bytes = 1 << 16;
    r.direction = CopyDirection::htod;
    r.source = MemoryKind::pinned;
    r.destination = MemoryKind::device;
    return pend(r, start_ns, end_ns, stream);
  }
  if (what >= 5 && what <= 7) {
    auto r = make_record<SetRecord>();
    r.bytes = 1 << 12;
    r.memory = MemoryKind::device;
    return pend(r, start_ns, end_ns, stream);
  }
  auto r = make_record<KernelRecord>();
  r.name_id = what == 0 ? kCommunication : kFirstKernel + place() % spec_.names;
  r.grid[0] = 108, r.grid[1] = r.grid[2] = 1;
  r.block[0] = 256, r.block[1] = r.block[2] = 1;
  r.registers_per_thread = 64;
  pend(r, start_ns, end_ns, stream);
}

// A launch that finds the queue full returns when there is room.
void Stream::wait_for_queue() {
  const std::int64_t room_ns = queue_[launches_ % kQueue];
  if (room_ns <= now_ns_) return;
  auto r = make_record<OverheadRecord>();
  r.start_ns = static_cast<std::uint64_t>(now_ns_);
  r.end_ns = static_cast<std::uint64_t>(room_ns);
  r.os_thread_id = 1000 + thread_;
  r.type = OverheadType::command_buffer_full;
  if (spec_.host) calls_.add(r.header);
  now_ns_ = room_ns;
}

void Stream::wait_for_device() {
  const std::int64_t begin_ns = now_ns_;
  now_ns_ = std::max({now_ns_, free_ns_[0], free_ns_[1], free_ns_[2]}) + 3'000;
  call(ApiId::context_synchronize, begin_ns, Expects::none);
  now_ns_ += between(8'000, 20'000);
}

void Stream::one_launch() {
  if (launches_ % 200 == 0) thread_ = 1 - thread_;
  if (place() + 1 == step_) wait_for_device();
  // A multiplier without a factor in common with 100: every kind, evenly spread.
  const std::uint32_t what = place() * 37 % 100;
  const std::int64_t begin_ns = now_ns_;
  wait_for_queue();
  now_ns_ += between(2'500, 4'000);
  call(what >= 1 && what <= 4   ? ApiId::memcpy_htod_async
       : what >= 5 && what <= 7 ? ApiId::memset_async
                                : ApiId::launch_kernel,
       begin_ns, Expects::one);
  operation(what, now_ns_);
  ++launches_;
  now_ns_ += spec_.busy ? between(500, 1'500) : between(3'000, 6'000);
}

void Stream::host_evidence() {
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    struct {
      ThreadSampleRecord sample;
      std::uint32_t frames[kFrames];
    } r{make_record<ThreadSampleRecord>(thread), {}};
    r.sample.header.size_bytes = sizeof r;
    r.sample.begin_ns = static_cast<std::uint64_t>(drained_ns_);
    r.sample.end_ns = static_cast<std::uint64_t>(now_ns_);
    r.sample.on_cpu_ns = thread == thread_ ? r.sample.end_ns - r.sample.begin_ns : 0;
    r.sample.os_thread_id = 1000 + thread;
    r.sample.state = 'R';
    r.sample.frame_count = kFrames;
    for (std::uint32_t i = 0; i < kFrames; ++i) r.frames[i] = kFirstKernel + spec_.names + i;
    out_->add(r.sample.header);
  }
  if (now_ns_ - collected_ns_ < kCollectNs) return;
  collected_ns_ = now_ns_;
  auto gc = make_record<GcRecord>(thread_);
  gc.start_ns = static_cast<std::uint64_t>(now_ns_);
  now_ns_ += 4'000'000;
  gc.end_ns = static_cast<std::uint64_t>(now_ns_);
  gc.generation = 2;
  out_->add(gc.header);
}

void Stream::deliver(std::int64_t ended_before_ns) {
  const auto ended = std::stable_partition(pending_.begin(), pending_.end(), [&](const Pending& p) {
    return p.end_ns >= ended_before_ns;
  });
  std::sort(ended, pending_.end(),
            [](const Pending& a, const Pending& b) { return a.end_ns < b.end_ns; });
  for (auto p = ended; p != pending_.end(); ++p) {
    out_->add(*reinterpret_cast<const RecordHeader*>(p->record));
  }
  pending_.erase(ended, pending_.end());
}

void Stream::tick(TickKind kind) {
  auto r = make_record<TickRecord>();
  r.now_ns = r.host_floor_ns = static_cast<std::uint64_t>(now_ns_);
  r.flushed_ns = static_cast<std::uint64_t>(flushed_ns_);
  r.tick = kind;
  out_->add(r.header);
}

void Stream::drain() {
  if (spec_.host) host_evidence();
  calls_.for_each([this](const RecordHeader& record) { out_->add(record); });
  calls_.clear();
  drained_ns_ = now_ns_;
  if (pending_.size() >= kBufferRecords) deliver(now_ns_);
}

void Stream::shuffle(Block* block) {
  std::vector<const RecordHeader*> records;
  block->for_each([&](const RecordHeader& record) { records.push_back(&record); });
  std::shuffle(records.begin(), records.end(), random_);
  Block shuffled;
  shuffled.words.reserve(block->words.size());
  for (const RecordHeader* record : records) shuffled.add(*record);
  *block = std::move(shuffled);
}

void Stream::next(Block* block) {
  block->clear();
  out_ = block;
  if (launches_ == 0) define_names(block);
  while (now_ns_ - flushed_ns_ < kFlushNs) {
    one_launch();
    if (now_ns_ - drained_ns_ < kDrainNs) continue;
    drain();
    if (spec_.in_order) tick(TickKind::periodic);
  }
  drain();
  deliver(now_ns_);
  if (!spec_.in_order) shuffle(block);
  flushed_ns_ = now_ns_;
  tick(TickKind::flushed);
}

void Stream::last(Block* block) {
  block->clear();
  out_ = block;
  now_ns_ = std::max({now_ns_, free_ns_[0], free_ns_[1], free_ns_[2]}) + 1;
  drain();
  deliver(now_ns_);
  flushed_ns_ = now_ns_;
  tick(TickKind::final_);
}

}  // namespace gapscope::bench
