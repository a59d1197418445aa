// The host sampler behind a few C functions, for Python programs that load it with ctypes: they
// know what their threads do, and check what was seen from outside.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/host_sampler.h"
#include "host/own_memory.h"
#include "host/python_process.h"

namespace {

using gapscope::HostOptions;
using gapscope::HostSampler;
using gapscope::record_cast;
using gapscope::RecordHeader;

bool start_thread(pthread_t* thread, void* (*entry)(void*), void* argument, const char* name) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(thread, nullptr, entry, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pthread_setname_np(*thread, name);
  return error == 0;
}

// Evidence as lines of JSON.
class Lines : public gapscope::RecordSink {
 public:
  std::uint32_t intern(std::string_view text) {
    const auto [it, is_new] = ids_.try_emplace(std::string(text), texts_.size());
    if (is_new) texts_.push_back(it->first);
    return it->second;
  }
  void consume(const RecordHeader& header) override {
    if (header.kind == gapscope::RecordKind::thread_sample) add_sample(header);
    if (header.kind == gapscope::RecordKind::gc) add_collection(header);
  }
  std::string take() { return std::exchange(out_, {}); }

 private:
  std::string text(std::uint32_t id) const { return id < texts_.size() ? texts_[id] : "?"; }
  void add(const nlohmann::json& line) {
    out_ += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  void add_sample(const RecordHeader& header) {
    const auto r = record_cast<gapscope::ThreadSampleRecord>(header);
    nlohmann::json frames = nlohmann::json::array();
    const char* at = reinterpret_cast<const char*>(&header) + sizeof(r);
    for (int i = 0; i < r.frame_count; ++i) {
      std::uint32_t id = 0;
      std::memcpy(&id, at + 4 * i, 4);
      frames.push_back(text(id));
    }
    add({{"kind", "sample"},
         {"thread", static_cast<std::int32_t>(header.thread)},
         {"tid", r.os_thread_id},
         {"begin_ns", r.begin_ns},
         {"end_ns", r.end_ns},
         {"on_cpu_ns", r.on_cpu_ns},
         {"runnable_ns", r.runnable_ns},
         {"state", std::string(1, r.state)},
         {"wait", text(r.wait_id)},
         {"waits_for", static_cast<std::int32_t>(r.waits_for)},
         {"waits_for_tid", r.waits_for_os_thread},
         {"waits_for_name", text(r.waits_for_name_id)},
         {"guess", (header.flags & gapscope::kSampleWaitGuess) != 0},
         {"frames", frames}});
  }
  void add_collection(const RecordHeader& header) {
    const auto r = record_cast<gapscope::GcRecord>(header);
    add({{"kind", "gc"},
         {"start_ns", r.start_ns},
         {"end_ns", r.end_ns},
         {"generation", r.generation},
         {"collected", r.collected},
         {"tid", r.os_thread_id}});
  }

  std::string out_;
  std::unordered_map<std::string, std::uint32_t> ids_{{"", 0}};
  std::vector<std::string> texts_{""};
};

struct Probe {
  HostSampler sampler;
  Lines lines;
  explicit Probe(const HostOptions& options) : sampler(options) {}
};
Probe* probe = nullptr;  // never destroyed, as in a profiled process

void at_exit() {
  if (probe != nullptr) probe->sampler.stop(1'000'000'000);
}
void in_child() {
  if (probe != nullptr) probe->sampler.forget_after_fork();
  probe = nullptr;
}

std::string layout_lines(const gapscope::PythonLayout& l) {
  std::string text;
  const auto add = [&](const char* name, std::uint32_t value) {
    text += std::string(name) + " " + std::to_string(value) + "\n";
  };
#define ADD(field) add(#field, l.field)
  ADD(runtime_interpreters), ADD(interpreter_next), ADD(interpreter_threads), ADD(thread_next);
  ADD(thread_id), ADD(thread_native_id), ADD(thread_frame), ADD(cframe_frame), ADD(frame_back);
  ADD(frame_code), ADD(frame_instruction), ADD(frame_owner), ADD(code_first_line);
  ADD(code_filename), ADD(code_name), ADD(code_linetable), ADD(code_instructions);
  ADD(object_type), ADD(bytes_size), ADD(bytes_data), ADD(unicode_length), ADD(unicode_state);
  ADD(unicode_ascii), ADD(unicode_compact), ADD(gil_in_runtime), ADD(gil_in_interpreter);
  ADD(gil_holder), ADD(gil_locked);
#undef ADD
  return text;
}

}  // namespace

extern "C" {
#define PROBE_EXPORT __attribute__((visibility("default")))

PROBE_EXPORT int probe_start(unsigned period_us, unsigned max_frames, char* state, unsigned size) {
  HostOptions options;
  options.period_ns = period_us * 1000ull;
  options.max_frames = max_frames;
  options.frames = max_frames > 0;
  options.start_thread = &start_thread;
  probe = new Probe(options);
  if (!probe->sampler.start()) return 0;
  std::strncpy(state, probe->sampler.python_state().c_str(), size - 1);
  std::atexit(&at_exit);
  pthread_atfork(nullptr, nullptr, &in_child);
  probe->sampler.set_active(true);
  return 1;
}
PROBE_EXPORT void probe_watch(unsigned index, unsigned tid) {
  probe->sampler.watch(index, tid, nullptr);
}
PROBE_EXPORT void probe_activate(int active) { probe->sampler.set_active(active != 0); }
// Length of the text, which is cut at size.
PROBE_EXPORT unsigned long probe_drain(char* text, unsigned long size) {
  probe->sampler.drain(probe->lines, [](std::string_view t) { return probe->lines.intern(t); });
  const std::string lines = probe->lines.take();
  std::memcpy(text, lines.data(), std::min<unsigned long>(size, lines.size()));
  return lines.size();
}
PROBE_EXPORT int probe_stop(unsigned timeout_ms) {
  return probe->sampler.stop(timeout_ms * 1'000'000ull) ? 1 : 0;
}
PROBE_EXPORT unsigned long probe_cpu_ns() { return probe->sampler.cpu_ns(); }
PROBE_EXPORT unsigned long probe_dropped() { return probe->sampler.dropped(); }

// The layout in use, as "name value" lines; 0 and the reason when there is none.
PROBE_EXPORT int probe_layout(char* text, unsigned long size) {
  gapscope::OwnMemory memory;
  memory.open();
  const auto process = gapscope::PythonProcess::find(memory);
  const bool ready = process.state == gapscope::PythonProcess::State::ready;
  const std::string lines = ready ? layout_lines(process.layout) : process.why_not;
  std::strncpy(text, lines.c_str(), size - 1);
  return ready ? 1 : 0;
}

// A C call that keeps the interpreter's lock when called through ctypes.PyDLL.
PROBE_EXPORT unsigned long probe_spin(unsigned ms) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const long end = t.tv_sec * 1000 + t.tv_nsec / 1'000'000 + ms;
  unsigned long rounds = 0;
  do {
    ++rounds;
    clock_gettime(CLOCK_MONOTONIC, &t);
  } while (t.tv_sec * 1000 + t.tv_nsec / 1'000'000 < end);
  return rounds;
}
}
