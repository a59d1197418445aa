// The few calls of the CUDA driver that `gapscope calibrate` makes, looked up at run time: the
// command line is built and runs without CUDA.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace gapscope::cli {

// A device with a context, a stream, an empty kernel, a graph of it and 4 KiB to copy. Every
// function waits for its work. Thread-safety: one thread. Nothing is freed: the process ends.
class CudaDriver {
 public:
  // Starts CUDA, with it what CUDA_INJECTION64_PATH names. Unavailable says what is missing.
  static absl::StatusOr<CudaDriver> start(int graph_nodes);

  // Nanoseconds of this thread an operation: kernels launched singly, nodes of a launched graph,
  // copies from pinned memory to the device.
  absl::StatusOr<double> launch_ns(int operations) const;
  absl::StatusOr<double> graph_node_ns(int launches) const;
  absl::StatusOr<double> copy_ns(int operations) const;

  const std::string& gpu() const { return gpu_; }

 private:
  using Handle = void*;
  // As cuda.h has them; CUdeviceptr is 64 bits wide on every platform with a GPU.
  struct Calls {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int*, int);
    int (*cuDeviceGetName)(char*, int, int);
    int (*cuDevicePrimaryCtxRetain)(Handle*, int);
    int (*cuCtxSetCurrent)(Handle);
    int (*cuModuleLoadData)(Handle*, const void*);
    int (*cuModuleGetFunction)(Handle*, Handle, const char*);
    int (*cuStreamCreate)(Handle*, unsigned);
    int (*cuStreamSynchronize)(Handle);
    int (*cuStreamBeginCapture_v2)(Handle, int);
    int (*cuStreamEndCapture)(Handle, Handle*);
    int (*cuGraphInstantiateWithFlags)(Handle*, Handle, unsigned long long);
    int (*cuGraphLaunch)(Handle, Handle);
    int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, Handle, void**, void**);
    int (*cuMemAlloc_v2)(unsigned long long*, std::size_t);
    int (*cuMemAllocHost_v2)(void**, std::size_t);
    int (*cuMemcpyHtoDAsync_v2)(unsigned long long, const void*, std::size_t, Handle);
  };

  absl::Status find_calls();
  absl::Status set_up(int graph_nodes);
  int launch() const {
    return calls_.cuLaunchKernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr);
  }
  template <typename Operation>
  absl::StatusOr<double> time(int operations, int parts, Operation operation) const;

  Calls calls_{};
  std::string gpu_;
  Handle stream_ = nullptr, kernel_ = nullptr, graph_ = nullptr;
  int graph_nodes_ = 0;
  unsigned long long device_memory_ = 0;
  void* host_memory_ = nullptr;
};

}  // namespace gapscope::cli
