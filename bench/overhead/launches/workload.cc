#include "workload.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <numeric>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kModule =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry empty_kernel()\n{\n  ret;\n}\n";
constexpr long kGraphNodes = 1000;
constexpr std::size_t kCopyBytes = 4096;

double ns_each(Clock::time_point begin, long operations) {
  const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
  return took.count() / static_cast<double>(std::max(1L, operations));
}

double launch_on(const Gpu& gpu, CUstream stream, long operations) {
  const auto begin = Clock::now();
  for (long i = 0; i < operations; ++i) gpu.launch(stream);
  gpu.synchronize(stream);
  return ns_each(begin, operations);
}

double launches(const Gpu& gpu, long operations) {
  const CUstream stream = gpu.new_stream();
  const double ns = launch_on(gpu, stream, operations);
  gpu.destroy(stream);
  return ns;
}

// One of several threads: a first launch outside the time, then all at once.
double launch_beside_others(const Gpu& gpu, long operations, std::atomic<int>* not_ready) {
  check(gpu.driver.context_set_current(gpu.context), "cuCtxSetCurrent");
  const CUstream stream = gpu.new_stream();
  launch_on(gpu, stream, 1);
  not_ready->fetch_sub(1);
  while (not_ready->load() > 0) std::this_thread::yield();
  const double ns = launch_on(gpu, stream, operations);
  gpu.destroy(stream);
  return ns;
}

// The operations are shared out; the mean over the threads of what one of its operations took.
template <int kThreads>
double launches_of(const Gpu& gpu, long operations) {
  std::atomic<int> not_ready{kThreads};
  std::vector<double> ns(kThreads);
  std::vector<std::exception_ptr> errors(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      try {
        ns[i] = launch_beside_others(gpu, operations / kThreads, &not_ready);
      } catch (...) {
        errors[i] = std::current_exception();
        not_ready.fetch_sub(kThreads);  // nobody waits for this one
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return std::accumulate(ns.begin(), ns.end(), 0.0) / kThreads;
}

CUgraphExec capture(const Gpu& gpu, CUstream stream) {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  check(gpu.driver.stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "cuStreamBeginCapture");
  for (long i = 0; i < kGraphNodes; ++i) gpu.launch(stream);
  check(gpu.driver.stream_end_capture(stream, &graph), "cuStreamEndCapture");
  check(gpu.driver.graph_instantiate(&executable, graph, 0), "cuGraphInstantiateWithFlags");
  return executable;
}

// An operation is one node. The graph lives as long as the process.
double graph_nodes(const Gpu& gpu, long operations) {
  const CUstream stream = gpu.new_stream();
  const CUgraphExec graph = capture(gpu, stream);
  const auto replay = [&] { check(gpu.driver.graph_launch(graph, stream), "cuGraphLaunch"); };
  replay();
  gpu.synchronize(stream);
  const long replays = std::max(1L, operations / kGraphNodes);
  const auto begin = Clock::now();
  for (long i = 0; i < replays; ++i) replay();
  gpu.synchronize(stream);
  const double ns = ns_each(begin, replays * kGraphNodes);
  gpu.destroy(stream);
  return ns;
}

// From pinned memory, so that the copy is asynchronous. The memory lives as long as the process.
double copies(const Gpu& gpu, long operations) {
  static const auto memory = [&] {
    std::pair<CUdeviceptr, void*> made{};
    check(gpu.driver.memory_allocate(&made.first, kCopyBytes), "cuMemAlloc");
    check(gpu.driver.memory_allocate_host(&made.second, kCopyBytes), "cuMemAllocHost");
    return made;
  }();
  const CUstream stream = gpu.new_stream();
  const auto begin = Clock::now();
  for (long i = 0; i < operations; ++i) {
    check(gpu.driver.copy_to_device(memory.first, memory.second, kCopyBytes, stream),
          "cuMemcpyHtoDAsync");
  }
  gpu.synchronize(stream);
  const double ns = ns_each(begin, operations);
  gpu.destroy(stream);
  return ns;
}

double launch_and_wait(const Gpu& gpu, long operations) {
  const CUstream stream = gpu.new_stream();
  const auto begin = Clock::now();
  for (long i = 0; i < operations; ++i) {
    gpu.launch(stream);
    gpu.synchronize(stream);
  }
  const double ns = ns_each(begin, operations);
  gpu.destroy(stream);
  return ns;
}

// Asks for an event again and again, as event pools and NCCL's watchdog do.
double event_queries(const Gpu& gpu, long operations) {
  const CUstream stream = gpu.new_stream();
  CUevent event = nullptr;
  check(gpu.driver.event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  gpu.launch(stream);
  check(gpu.driver.event_record(event, stream), "cuEventRecord");
  gpu.synchronize(stream);
  const auto begin = Clock::now();
  for (long i = 0; i < operations; ++i) check(gpu.driver.event_query(event), "cuEventQuery");
  const double ns = ns_each(begin, operations);
  gpu.destroy(stream);
  return ns;
}

}  // namespace

Gpu::Gpu() : driver(load_cuda_driver()) {
  check(driver.init(0), "cuInit");
  CUdevice device = 0;
  check(driver.device_get(&device, 0), "cuDeviceGet");
  check(driver.primary_context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver.context_set_current(context), "cuCtxSetCurrent");
  CUmodule module = nullptr;
  check(driver.module_load_data(&module, kModule), "cuModuleLoadData");
  check(driver.module_get_function(&kernel_, module, "empty_kernel"), "cuModuleGetFunction");
}

CUstream Gpu::new_stream() const {
  CUstream stream = nullptr;
  check(driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

void Gpu::launch(CUstream stream) const {
  check(driver.launch_kernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr),
        "cuLaunchKernel");
}

void Gpu::synchronize(CUstream stream) const {
  check(driver.stream_synchronize(stream), "cuStreamSynchronize");
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"launch_1", 20000, &launches},
      {"launch_4", 20000, &launches_of<4>},
      {"launch_8", 20000, &launches_of<8>},
      {"graph_1000", 40000, &graph_nodes},
      {"copy_4k", 20000, &copies},
      {"launch_sync", 5000, &launch_and_wait},
      {"event_query", 100000, &event_queries},
  };
  return all;
}

}  // namespace bench
