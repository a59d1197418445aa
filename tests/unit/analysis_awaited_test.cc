// Threads that wait for other threads, which launch nothing themselves.
#include <cstring>
#include <string>
#include <vector>

#include "analysis/attribution.h"
#include "analysis/evidence_text.h"
#include "catch.h"

using namespace gapscope;

namespace {

constexpr std::int64_t kUs = 1000, kMs = 1'000'000;
const std::vector<std::string> kDecoding = {"/x/PIL/Image.py:convert:3",
                                            "/x/torch/utils/data/dataloader.py:__next__:7"};

// Thread 0 launches at 0 and at 30 ms; between lies one gap, covered by the samples.
class Waiting {
 public:
  Waiting() {
    add_call(0);
    add_call(30 * kMs);
  }
  struct Sample {
    std::uint32_t thread = kNoThread;
    std::uint32_t os_thread = 0;
    std::vector<std::string> frames = {};
    const char* wait = "";  // running where empty
    std::uint32_t waits_for_os_thread = 0;
    const char* waits_for_name = "";
    bool guess = false;
  };
  Waiting& add(const Sample& sample) {
    alignas(8) char bytes[512];
    auto r = make_record<ThreadSampleRecord>(sample.thread);
    r.begin_ns = 5 * kUs;
    r.end_ns = 30 * kMs;
    const bool running = *sample.wait == 0;
    r.on_cpu_ns = running ? r.end_ns - r.begin_ns : 0;
    r.state = running ? 'R' : 'S';
    r.os_thread_id = sample.os_thread;
    r.wait_id = string(sample.wait);
    r.waits_for = kNoThread;
    r.waits_for_os_thread = sample.waits_for_os_thread;
    r.waits_for_name_id = string(sample.waits_for_name);
    if (sample.guess) r.header.flags |= kSampleWaitGuess;
    r.frame_count = static_cast<std::uint8_t>(sample.frames.size());
    r.header.size_bytes =
        static_cast<std::uint16_t>(sizeof r + round_up_8(4 * sample.frames.size()));
    std::memset(bytes, 0, sizeof bytes);
    std::memcpy(bytes, &r, sizeof r);
    for (std::size_t i = 0; i < sample.frames.size(); ++i) {
      const std::uint32_t id = string(sample.frames[i]);
      std::memcpy(bytes + sizeof r + 4 * i, &id, 4);
    }
    evidence.add_sample(*reinterpret_cast<const RecordHeader*>(bytes));
    return *this;
  }
  // The cause of most of the gap and what speaks for it.
  std::string answer() {
    Launch launch;
    launch.start_ns = 30 * kMs;
    launch.queued_ns = 30 * kMs + 5 * kUs;
    launch.thread = 0;
    const auto slices =
        Attribution(evidence, names).attribute(10 * kUs, 30 * kMs + 6 * kUs, launch);
    const CauseSlice* most = &slices.front();
    for (const CauseSlice& slice : slices) {
      if (slice.ns > most->ns) most = &slice;
    }
    return std::string(cause_name(most->cause)) + ": " + evidence_text(most->evidence, names);
  }

  HostEvidence evidence;
  NameTable names{100};

 private:
  void add_call(std::int64_t begin_ns) {
    Call call;
    call.start_ns = begin_ns;
    call.end_ns = begin_ns + 5 * kUs;
    call.thread = 0;
    call.api = ApiId::launch_kernel;
    call.category = ApiCategory::launch;
    evidence.add_call(call, false);
  }
  std::uint32_t string(const std::string& text) {
    if (text.empty()) return kNoString;
    names.define(++strings_, text);
    return strings_;
  }
  std::uint32_t strings_ = 0;
};

}  // namespace

TEST_CASE("threads that launch nothing are told apart by the system's id") {
  Waiting waiting;
  waiting.add({kNoThread, 501, {"/x/other.py:spin:1"}});
  waiting.add({kNoThread, 502, kDecoding});
  waiting.add({0, 500, {}, "futex", 502, "decode_3"});
  CHECK(waiting.answer() ==
        "input pipeline: dataloader.py:__next__ > Image.py:convert, in decode_3");
}

TEST_CASE("a sample without index and id belongs to no thread") {
  Waiting waiting;
  waiting.add({kNoThread, 0, kDecoding});
  CHECK(waiting.evidence.held() == 2);  // the calls
  waiting.add({0, 500, {}, "futex"});
  CHECK(waiting.answer() == "host, other: futex");
}

TEST_CASE("the lock's holder is certain, another wait a guess, and the evidence says which") {
  CHECK(Waiting().add({0, 500, {}, "GIL", 502, "decode_3"}).answer() ==
        "host, other: GIL, held by decode_3");
  CHECK(Waiting().add({0, 500, {}, "futex", 502, "pt_autograd_0", true}).answer() ==
        "host, other: futex, perhaps for pt_autograd_0");
  CHECK(Waiting().add({0, 500, {}, "GIL"}).answer() == "host, other: GIL");
  CHECK(Waiting()
            .add({kNoThread, 502, {"/x/work.py:count:9"}})
            .add({0, 500, {}, "futex", 502, "helper", true})
            .answer() == "host, other: work.py:count, perhaps in helper");
}

TEST_CASE("a guess never speaks against the thread's own frames, the lock's holder does") {
  const std::vector<std::string> own = {"train.py:step:3"};
  CHECK(Waiting()
            .add({kNoThread, 502, kDecoding})
            .add({0, 500, own, "futex", 502, "decode_3", true})
            .answer() == "host, other: train.py:step");
  CHECK(Waiting()
            .add({kNoThread, 502, kDecoding})
            .add({0, 500, own, "GIL", 502, "decode_3"})
            .answer() == "input pipeline: dataloader.py:__next__ > Image.py:convert, in decode_3");
}

TEST_CASE("threads that have gone leave their place to others") {
  HostEvidence evidence;
  const auto sample = [&](std::uint32_t os_thread, std::uint64_t begin_ns) {
    auto r = make_record<ThreadSampleRecord>();
    r.begin_ns = begin_ns;
    r.end_ns = begin_ns + 1000;
    r.os_thread_id = os_thread;
    evidence.add_sample(r.header);
  };
  for (std::uint32_t i = 1; i <= HostEvidence::kMaxThreads + 10; ++i) sample(i, 1000);
  CHECK(evidence.held() == HostEvidence::kMaxThreads);
  evidence.forget_before(10'000);
  CHECK(evidence.held() == 0);
  sample(100'000, 20'000);
  CHECK(evidence.held() == 1);
}
