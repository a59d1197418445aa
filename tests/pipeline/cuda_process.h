// A process that uses CUDA, as far as an injected library can tell: cuInit loads the library that
// CUDA_INJECTION64_PATH names, calls go through the fake libcupti's callbacks, the device is the
// fake's. Without a fake libcupti in the process the calls do nothing, as on an unprofiled run.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "fake_cupti_control.h"
#include "truth.h"

namespace fake_driver {

class CudaProcess {
 public:
  // Maps a libcupti as a framework does that brings its own; before init().
  bool map_cupti(const std::string& path);
  // cuInit: the injection happens in the middle of it.
  // takes_ms: how long it goes on after the injection; long where there are many GPUs.
  void init(std::uint32_t takes_ms = 0);
  bool injected() const { return injected_; }
  bool profiled() const { return call_ != nullptr; }

  fake_call_result call(const fake_call_spec& spec);
  fake_call_result launch(const char* name, std::uint64_t duration_ns, std::uint64_t delay_ns = 0,
                          std::uint32_t stream = 7, std::uint32_t device = 0);
  fake_call_result copy(fake_api api, std::uint64_t bytes, std::uint64_t duration_ns,
                        std::uint32_t stream = 7, std::uint32_t device = 0);
  fake_call_result simple(fake_api api, std::uint64_t host_ns = 0);
  void device_launch(const char* name, std::uint64_t duration_ns);
  void overhead(std::uint32_t kind, std::uint64_t start_ns, std::uint64_t end_ns);
  std::uint32_t release_late();
  void fatal_error();
  void context_destroyed(std::uint32_t context);
  void wait_idle();
  void clock_stepped(std::int64_t step_ns);

  // Whether operations launched from now on lie within the captured range (truth only).
  void set_counted(bool counted) { counted_.store(counted); }
  Truth& truth() { return truth_; }

 private:
  void inject();
  bool bind();
  void note(const fake_call_spec& spec, const fake_call_result& result);

  decltype(&::fake_call) call_ = nullptr;
  decltype(&::fake_device_launch) device_launch_ = nullptr;
  decltype(&::fake_overhead) overhead_ = nullptr;
  decltype(&::fake_release_late) release_late_ = nullptr;
  decltype(&::fake_fatal_error) fatal_error_ = nullptr;
  decltype(&::fake_context_destroyed) context_destroyed_ = nullptr;
  decltype(&::fake_wait_idle) wait_idle_ = nullptr;
  decltype(&::fake_clock_stepped) clock_stepped_ = nullptr;
  bool injected_ = false;
  std::atomic<bool> counted_{true};
  Truth truth_;
};

// The name that the runtime API has for a call, as the report shows it.
const char* runtime_name(fake_api api);

}  // namespace fake_driver
