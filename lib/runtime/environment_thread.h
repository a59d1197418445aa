// Gathers the environment record on a thread of its own, so that a hanging file system costs the
// program's end a bounded time and nothing else.
//
// Thread-safety: one owner. What the thread works on belongs to both: one that is left behind
// writes into memory that nobody else frees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "environment/environment.h"
#include "record/record.h"
#include "runtime/backend.h"
#include "runtime/config.h"

namespace gapscope {

// python: what the host sampler says of the interpreter, "3.12.3, frames on" or words.
environment::Request environment_request(const Config& config, const std::string& python);

class EnvironmentThread {
 public:
  // Where the GPUs' state comes from, see Backend::gpu_reader(); read after everything else.
  struct Gpus {
    Backend::GpuReader read = nullptr;
    std::int64_t since_ns = 0;
  };
  // Begins; without a thread (limit on processes) there is simply nothing to wait for. files_root:
  // see FileView; "" in a live process.
  void start(const environment::Request& request, const std::string& files_root, Gpus gpus);

  // What was gathered, once; nothing when it took longer than timeout_ns or never began. The GPUs'
  // state is in it unless it takes longer than gpu_timeout_ns more.
  std::optional<environment::Gathered> wait(std::uint64_t timeout_ns, std::uint64_t gpu_timeout_ns);
  // The same as meta records, with a warning where there is nothing.
  void emit(RecordSink& sink, std::uint64_t timeout_ns, std::uint64_t gpu_timeout_ns);

 private:
  struct Job;
  static void* thread_main(void* job);
  std::shared_ptr<Job> job_;
};

}  // namespace gapscope
