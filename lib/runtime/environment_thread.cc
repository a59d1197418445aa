#include "runtime/environment_thread.h"

#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include "report/environment_lines.h"
#include "runtime/clock.h"
#include "runtime/interner.h"
#include "runtime/ready_to_throw.h"
#include "runtime/thread.h"

namespace gapscope {

environment::Request environment_request(const Config& config, const std::string& python) {
  environment::Request request;
  for (const auto& [name, value] : config.recorded_variables) {
    request.variables.push_back({name, value});
  }
  if (!python.empty() && python[0] >= '0' && python[0] <= '9') {
    request.python_version = python.substr(0, python.find(','));
  }
  request.anonymous = config.anonymous;
  return request;
}

struct EnvironmentThread::Job {
  environment::Request request;
  environment::FileView files;
  Gpus gpus;
  environment::Gathered gathered;  // written before done, read after it
  std::atomic<bool> done{false};
  std::vector<report::Gpu> gpu_states;  // likewise
  std::atomic<bool> gpus_done{false};
};

namespace {

bool wait_until(const std::atomic<bool>& done, std::uint64_t timeout_ns) {
  const std::uint64_t deadline = monotonic_ns() + timeout_ns;
  while (!done.load(std::memory_order_acquire)) {
    if (monotonic_ns() > deadline) return false;
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace

void* EnvironmentThread::thread_main(void* argument) {
  const std::unique_ptr<std::shared_ptr<Job>> owner(static_cast<std::shared_ptr<Job>*>(argument));
  Job& job = **owner;
  if (!ready_to_throw()) return nullptr;
  try {
    job.gathered = environment::gather(job.files, job.request);
    job.done.store(true, std::memory_order_release);
    if (job.gpus.read != nullptr) job.gpu_states = job.gpus.read(job.gpus.since_ns);
    job.gpus_done.store(true, std::memory_order_release);
  } catch (...) {
    // Out of memory: the report goes without.
  }
  return nullptr;
}

void EnvironmentThread::start(const environment::Request& request, const std::string& files_root,
                              Gpus gpus) {
  auto job = std::make_shared<Job>();
  job->gpus = gpus;
  job->request = request;
  job->files = environment::FileView(files_root);
  auto owner = std::make_unique<std::shared_ptr<Job>>(job);
  pthread_t thread;
  if (!start_thread(&thread, &EnvironmentThread::thread_main, owner.get(), "gapscope-env")) return;
  (void)owner.release();  // the thread's now
  pthread_detach(thread);
  job_ = std::move(job);
}

std::optional<environment::Gathered> EnvironmentThread::wait(std::uint64_t timeout_ns,
                                                             std::uint64_t gpu_timeout_ns) {
  const std::shared_ptr<Job> job = std::move(job_);
  if (job == nullptr || !wait_until(job->done, timeout_ns)) return std::nullopt;
  environment::Gathered gathered = std::move(job->gathered);
  if (wait_until(job->gpus_done, gpu_timeout_ns)) {
    gathered.environment.gpus = std::move(job->gpu_states);
  }
  return gathered;
}

void EnvironmentThread::emit(RecordSink& sink, std::uint64_t timeout_ns,
                             std::uint64_t gpu_timeout_ns) {
  const auto gathered = wait(timeout_ns, gpu_timeout_ns);
  if (!gathered) {
    return emit_meta(MetaKey::warning, "what the process ran in could not be gathered in time",
                     sink);
  }
  for (const report::Library& library : gathered->environment.libraries) {
    if (library.name == "CUDA driver") emit_meta(MetaKey::driver_version, library.version, sink);
  }
  for (const std::string& line : report::environment_lines(gathered->environment)) {
    emit_meta(MetaKey::environment, line, sink);
  }
  for (const std::string& warning : gathered->warnings) emit_meta(MetaKey::warning, warning, sink);
}

}  // namespace gapscope
