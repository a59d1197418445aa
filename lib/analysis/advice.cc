// The table of advice: what speaks for it, the words, and what it can win at best.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "analysis/cause.h"
#include "analysis/findings.h"

namespace gapscope {
namespace {

constexpr std::size_t kMost = 5;
constexpr double kWorthTrying = 0.02;    // of the window
constexpr double kDeviceIsLimit = 0.10;  // idle and exposed communication together, of the window

struct Situation {
  const report::Device& device;
  const report::Cause& cause;
  std::int64_t cpus;
};

const std::string& first_evidence(const report::Cause& cause) {
  static const std::string kNone;
  return cause.evidence.empty() ? kNone : cause.evidence.front().text;
}

bool mentions(const report::Cause& cause, const char* word) {
  return std::any_of(cause.evidence.begin(), cause.evidence.end(),
                     [&](const auto& e) { return e.text.find(word) != std::string::npos; });
}

std::string workers(std::int64_t cpus) {
  if (cpus <= 0) return "num_workers=4";
  return fmt::format("num_workers={} ({} CPUs allowed here)",
                     std::clamp<std::int64_t>(cpus - 1, 1, 8), cpus);
}

std::string input_text(const Situation& s) {
  const std::string& seen = first_evidence(s.cause);
  if (mentions(s.cause, "_try_get_data") || mentions(s.cause, "_MultiProcessingDataLoaderIter")) {
    if (mentions(s.cause, "_reset") || mentions(s.cause, "__init__")) {
      return "DataLoader persistent_workers=True: its workers are started anew each epoch";
    }
    if (mentions(s.cause, "pin_memory")) {
      return "DataLoader: pinning holds it up; return tensors that are fewer and larger";
    }
    return fmt::format("DataLoader workers are too slow: {}, or cheaper decoding and transforms",
                       workers(s.cpus));
  }
  if (mentions(s.cause, "dataloader.py") || mentions(s.cause, "/data/")) {
    return fmt::format("DataLoader {}, persistent_workers=True: the training thread loads ({})",
                       workers(s.cpus), seen);
  }
  return fmt::format("load ahead on other threads: the launching thread is in {}", seen);
}

std::string sync_text(const Situation& s) {
  const std::string& call = first_evidence(s.cause);
  return fmt::format(
      "fewer blocking calls ({}): keep values on the GPU (no .item(), .cpu(), print in "
      "the loop), read them once a step",
      call.empty() ? "synchronisation" : call);
}

std::string host_text(const Situation& s) {
  return fmt::format("{}: move it off the launching thread", first_evidence(s.cause));
}

struct Row {
  Cause cause;
  std::string (*text)(const Situation&);
  const char* source;
};

constexpr Row kRows[] = {
    {Cause::input_pipeline, &input_text, "torch.utils.data documentation"},
    {Cause::garbage_collection,
     [](const Situation& s) {
       return fmt::format(
           "gc.freeze() after set-up, gc.disable() and gc.collect() between steps that "
           "may wait ({})",
           first_evidence(s.cause));
     },
     "Python's gc documentation"},
    {Cause::synchronisation, &sync_text, "PyTorch performance tuning guide"},
    {Cause::profiler,
     [](const Situation& s) {
       if (!mentions(s.cause, "tracing the nodes")) return std::string();
       return std::string(
           "GAPSCOPE_GRAPHS=graph for the next run: tracing every node slows the launch of a "
           "graph (by about 0.7 us a node); without the tool this time is not there");
     },
     "measured on an H200"},
    {Cause::launch_bound,
     [](const Situation& s) {
       if (first_evidence(s.cause) == "cudaGraphLaunch") {
         return std::string("fewer, larger graphs: the GPU waits for their launch calls");
       }
       return std::string(
           "CUDA graphs or torch.compile(mode=\"reduce-overhead\"), larger batches, "
           "fused operators: the CPU cannot launch fast enough");
     },
     "CUDA graphs, CUDA programming guide"},
    {Cause::compilation,
     [](const Situation& s) {
       return fmt::format("load and compile before the loop ({}); fixed shapes avoid recompiling",
                          first_evidence(s.cause));
     },
     "CUDA_MODULE_LOADING, torch.compile documentation"},
    {Cause::allocation,
     [](const Situation& s) {
       return fmt::format(
           "allocate once and reuse ({} blocks the device); in PyTorch avoid "
           "empty_cache(), try expandable_segments",
           first_evidence(s.cause));
     },
     "PyTorch CUDA semantics, memory management"},
    {Cause::throttled,
     [](const Situation&) {
       return std::string("more CPU: the container's limit (cpu.max) stops its threads");
     },
     "cgroup v2 documentation"},
    {Cause::host, &host_text, "the frames seen"},
};

// Of a kernel's name what is safe in a command that people copy: no quotes, nothing of a regex.
std::string_view identifier(std::string_view name) {
  const auto end = std::find_if_not(name.begin(), name.end(),
                                    [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  return name.substr(0, static_cast<std::size_t>(end - name.begin()));
}

class Advisor {
 public:
  Advisor(const report::Device& device, double steps, std::int64_t cpus)
      : device_(device), parts_(steps > 0 ? steps : 1), cpus_(cpus) {}

  void causes() {
    for (const report::Cause& cause : device_.causes) {
      for (const Row& row : kRows) {
        if (cause.cause != cause_name(row.cause)) continue;
        if (row.cause == Cause::host && cause.evidence.empty()) continue;
        std::string text = row.text({device_, cause, cpus_});
        // What is moved away is what the text names, not all that the host did.
        const std::int64_t win_ns =
            row.cause == Cause::host ? cause.evidence.front().ns : cause.idle_ns;
        if (!text.empty()) add(std::move(text), row.source, cause.cause, win_ns);
      }
    }
  }

  void copies() {
    std::int64_t pageable_ns = 0;
    for (const report::Copy& copy : device_.copies) {
      if (copy.source == "pageable" || copy.destination == "pageable") {
        pageable_ns += copy.time.total_ns - copy.hidden_ns;
      }
    }
    const std::int64_t win_ns = std::min(pageable_ns, device_.time.copy_only_ns);
    if (2 * win_ns >= device_.time.copy_only_ns && win_ns > 0) {
      add("pin_memory=True and non_blocking=True, copies on a stream of their own", "copy only",
          win_ns);
    } else {
      add("copies on a stream of their own, ahead of their use", "copy only",
          device_.time.copy_only_ns);
    }
  }

  void communication() {
    add("overlap communication with compute: smaller buckets, earlier launches, a stream of its "
        "own",
        "exposed communication", device_.time.comm_exposed_ns);
  }

  // Only where nothing else is worth doing first.
  void kernels() {
    const auto rest = static_cast<double>(device_.time.idle_ns + device_.time.comm_exposed_ns +
                                          device_.time.copy_only_ns + device_.time.unknown_ns);
    if (device_.kernels.empty() || rest > kDeviceIsLimit * window()) return;
    const report::Kernel& top = device_.kernels.front();
    report::Advice advice;
    advice.text = fmt::format(
        "look at the kernels, the GPU hardly waits: ncu --kernel-name-base demangled "
        "--kernel-name 'regex:{}' --launch-skip {} --launch-count 3",
        identifier(top.name), top.time.count / 2);
    advice.source = "Nsight Compute";
    advice.cause = "compute";
    advice.before_ms = advice.after_ms = ms(device_.time.window_ns);
    out.push_back(std::move(advice));
  }

  std::vector<report::Advice> ranked() {
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return a.before_ms - a.after_ms > b.before_ms - b.after_ms;
    });
    if (out.size() > kMost) out.resize(kMost);
    return std::move(out);
  }

 private:
  double window() const { return static_cast<double>(device_.time.window_ns); }
  double ms(std::int64_t ns) const { return static_cast<double>(ns) / 1e6 / parts_; }

  void add(std::string text, const char* source, const std::string& cause, std::int64_t win_ns) {
    if (static_cast<double>(win_ns) < kWorthTrying * window() || win_ns <= 0) return;
    report::Advice advice;
    advice.text = std::move(text);
    advice.source = source;
    advice.cause = cause;
    advice.before_ms = ms(device_.time.window_ns);
    advice.after_ms = ms(device_.time.window_ns - win_ns);
    out.push_back(std::move(advice));
  }
  void add(const char* text, const char* cause, std::int64_t win_ns) {
    add(text, "CUDA best practices guide, asynchronous transfers", cause, win_ns);
  }

  const report::Device& device_;
  const double parts_;
  const std::int64_t cpus_;
  std::vector<report::Advice> out;
};

}  // namespace

std::vector<report::Advice> advise(const report::Scope& scope, double steps, std::int64_t cpus) {
  const auto device = std::max_element(
      scope.devices.begin(), scope.devices.end(),
      [](const auto& a, const auto& b) { return a.time.window_ns < b.time.window_ns; });
  if (device == scope.devices.end() || device->time.window_ns <= 0) return {};
  Advisor advisor(*device, steps, cpus);
  advisor.causes();
  advisor.copies();
  advisor.communication();
  advisor.kernels();
  return advisor.ranked();
}

}  // namespace gapscope
