// Writes a recording of a made-up training run, and what must come out of it as JSON on stdout.
//
//   make_recording FILE [--steps N] [--idle US] [--rank R/N] [--capture SPEC] [--unfinished]
//
// Each step: a copy of 1 ms, kernel A of 3 ms, 0.5 ms idle, kernel B of 4 ms, then idle.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "record/api.h"
#include "record/recording.h"

using namespace gapscope;

namespace {

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;
constexpr std::uint64_t kCopyNs = 1000 * kUs, kANs = 3000 * kUs, kInnerIdleNs = 500 * kUs,
                        kBNs = 4000 * kUs;
constexpr std::uint64_t kCopyBytes = 8u << 20;

struct Options {
  std::string path;
  std::uint64_t steps = 50;
  std::uint64_t idle_ns = 1500 * kUs;  // at the end of each step
  std::string rank;
  std::string capture = "all";
  bool finished = true;
};

class Run {
 public:
  Run(const Options& options, RecordSink& out) : options_(options), out_(out) {}

  void write() {
    facts();
    const std::uint64_t step_ns = kCopyNs + kANs + kInnerIdleNs + kBNs + options_.idle_ns;
    for (std::uint64_t i = 0; i < options_.steps; ++i) step(kBegin + kUs * 1000 + i * step_ns);
    const std::uint64_t end = kBegin + kUs * 1000 + options_.steps * step_ns;
    if (!options_.finished) return;
    tick(TickKind::draining, end);
    meta(MetaKey::end_ns, std::to_string(end));
    meta(MetaKey::exit_status, "0");
    tick(TickKind::final_, end);
  }

 private:
  void facts() {
    meta(MetaKey::version, "0.1.0");
    meta(MetaKey::command, "python train.py");
    meta(MetaKey::pid, "4711");
    meta(MetaKey::rank, options_.rank);
    meta(MetaKey::hostname, "testhost");
    meta(MetaKey::start_ns, std::to_string(kBegin));
    meta(MetaKey::graphs, "node");
    meta(MetaKey::capture, options_.capture);
    define(1, "_Z8kernel_aPf");
    define(2, "_Z8kernel_bPf");
    define(3, "Test GPU");
    auto device = make_record<DeviceInfoRecord>();
    device.name_id = 3;
    device.sm_count = 4;
    out_.consume(device.header);
  }

  void step(std::uint64_t t) {
    auto mark = make_record<MarkRecord>(0);
    mark.time_ns = t;
    mark.mark = MarkKind::step;
    out_.consume(mark.header);
    std::uint64_t at = t + 100 * kUs;
    call(ApiId::memcpy_htod_async, t + 10 * kUs, kCopyBytes);
    copy(at);
    at += kCopyNs;
    call(ApiId::launch_kernel, t + 20 * kUs, 0);
    kernel(1, at, kANs);
    at += kANs + kInnerIdleNs;
    call(ApiId::launch_kernel, t + 30 * kUs, 0);
    kernel(2, at, kBNs);
    tick(TickKind::flushed, at + kBNs);
  }

  void call(ApiId id, std::uint64_t at, std::uint64_t bytes) {
    auto r = make_record<ApiCallRecord>(0);
    r.start_ns = at;
    r.end_ns = at + 5 * kUs;
    r.bytes = bytes;
    r.correlation_id = ++correlation_;
    r.context = 1;
    r.api = static_cast<std::uint16_t>(id);
    r.category = api_category(id);
    r.expects = Expects::one;
    out_.consume(r.header);
  }

  void kernel(std::uint32_t name, std::uint64_t at, std::uint64_t length) {
    auto r = make_record<KernelRecord>();
    r.start_ns = at;
    r.end_ns = at + length;
    r.correlation_id = correlation_;
    r.context = 1;
    r.stream = 7;
    r.name_id = name;
    r.grid[0] = r.grid[1] = r.grid[2] = r.block[1] = r.block[2] = 1;
    r.block[0] = 128;
    out_.consume(r.header);
  }

  void copy(std::uint64_t at) {
    auto r = make_record<CopyRecord>();
    r.start_ns = at;
    r.end_ns = at + kCopyNs;
    r.bytes = kCopyBytes;
    r.correlation_id = correlation_;
    r.context = 1;
    r.stream = 7;
    r.direction = CopyDirection::htod;
    r.source = MemoryKind::pinned;
    r.destination = MemoryKind::device;
    r.is_async = 1;
    out_.consume(r.header);
  }

  void tick(TickKind kind, std::uint64_t at) {
    auto r = make_record<TickRecord>();
    r.now_ns = r.host_floor_ns = r.flushed_ns = at;
    r.tick = kind;
    out_.consume(r.header);
  }

  void define(std::uint32_t id, const std::string& text) {
    auto r = make_record<StringDefRecord>();
    r.id = id;
    r.text_bytes = static_cast<std::uint32_t>(text.size());
    with_text(r, text);
  }

  void meta(MetaKey key, const std::string& text) {
    auto r = make_record<MetaRecord>();
    r.key = key;
    r.text_bytes = static_cast<std::uint16_t>(text.size());
    with_text(r, text);
  }

  template <typename T>
  void with_text(T record, const std::string& text) {
    alignas(8) char room[kMaxRecordBytes] = {};
    record.header.size_bytes = static_cast<std::uint16_t>(sizeof(T) + round_up_8(text.size()));
    std::memcpy(room, &record, sizeof(T));
    std::memcpy(room + sizeof(T), text.data(), text.size());
    out_.consume(*reinterpret_cast<const RecordHeader*>(room));
  }

  const Options& options_;
  RecordSink& out_;
  std::uint32_t correlation_ = 0;
};

bool parse(int argc, char** argv, Options* options) {
  if (argc < 2) return false;
  options->path = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--unfinished") {
      options->finished = false;
      continue;
    }
    if (++i == argc) return false;
    if (word == "--steps") options->steps = std::strtoull(argv[i], nullptr, 10);
    if (word == "--idle") options->idle_ns = std::strtoull(argv[i], nullptr, 10) * kUs;
    if (word == "--rank") options->rank = argv[i];
    if (word == "--capture") options->capture = argv[i];
  }
  return options->steps > 0;
}

void print_truth(const Options& options) {
  const std::uint64_t n = options.steps;
  const std::uint64_t idle = n * kInnerIdleNs + (n - 1) * options.idle_ns;
  std::printf(
      "{\"window_ns\": %llu, \"compute_ns\": %llu, \"copy_only_ns\": %llu, \"idle_ns\": %llu,"
      " \"steps\": %llu, \"bytes\": %llu}\n",
      static_cast<unsigned long long>(n * (kCopyNs + kANs + kBNs) + idle),
      static_cast<unsigned long long>(n * (kANs + kBNs)),
      static_cast<unsigned long long>(n * kCopyNs), static_cast<unsigned long long>(idle),
      static_cast<unsigned long long>(n), static_cast<unsigned long long>(n * kCopyBytes));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fprintf(stderr,
                 "usage: make_recording FILE [--steps N] [--idle US] [--rank R/N] "
                 "[--capture SPEC] [--unfinished]\n");
    return 1;
  }
  auto writer = RecordingWriter::open(options.path, 1ull << 30);
  if (writer.ok()) Run(options, **writer).write();
  const absl::Status status = writer.ok() ? (*writer)->close() : writer.status();
  if (!status.ok()) {
    std::fprintf(stderr, "make_recording: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  print_truth(options);
  return 0;
}
