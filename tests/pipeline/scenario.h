// What the fake program does. Each scenario is a function; the table is in scenario.cc.
#pragma once

#include <cstdint>
#include <string>

#include "cuda_process.h"

namespace fake_driver {

struct Settings {
  std::string scenario;
  std::string truth_path;
  std::string cupti;  // map this libcupti before cuInit
  std::string end = "return";
  std::string self;     // argv[0], to run itself again
  std::string until;    // after its work the program waits for this file to exist
  std::string sigterm;  // "before" or "after" CUDA starts: a handler of the program's own
  int exit_code = 0;
  std::uint32_t threads = 4;
  std::uint32_t operations = 200;
  std::uint32_t pause_ms = 0;         // sleep before the end
  std::uint32_t thread_pause_us = 0;  // many_threads: after each thread
  std::int64_t step_s = 0;            // clock_step: by how much
  std::uint32_t fork_first = 0;       // children that are forked before CUDA starts, and use it too
  std::uint32_t file_limit = 0;       // RLIMIT_FSIZE, but for the truth
  std::uint32_t init_ms = 0;          // how long cuInit goes on after the injection
};

using Scenario = void (*)(CudaProcess&, const Settings&);
// nullptr if there is none of that name.
Scenario find_scenario(const std::string& name);

// scenario_*.cc
void basic(CudaProcess&, const Settings&);
void kernels(CudaProcess&, const Settings&);
void threads(CudaProcess&, const Settings&);
void many_threads(CudaProcess&, const Settings&);
void two_devices(CudaProcess&, const Settings&);
void communication(CudaProcess&, const Settings&);
void captured(CudaProcess&, const Settings&);
void graphs(CudaProcess&, const Settings&);
void device_launched(CudaProcess&, const Settings&);
void range(CudaProcess&, const Settings&);
void failed_calls(CudaProcess&, const Settings&);
void lost_record(CudaProcess&, const Settings&);
void lost_last(CudaProcess&, const Settings&);
void late_record(CudaProcess&, const Settings&);
void running_kernel(CudaProcess&, const Settings&);
void long_kernel(CudaProcess&, const Settings&);
void device_reset(CudaProcess&, const Settings&);
void clock_step(CudaProcess&, const Settings&);
void steps(CudaProcess&, const Settings&);
void snapshot(CudaProcess&, const Settings&);
void stop_early(CudaProcess&, const Settings&);
void range_by_api(CudaProcess&, const Settings&);
void overlapping(CudaProcess&, const Settings&);
void spawn_children(CudaProcess&, const Settings&);
void no_cuda(CudaProcess&, const Settings&);
void collector_stands_still(CudaProcess&, const Settings&);
void lower_file_limit(CudaProcess&, const Settings&);
void fatal(CudaProcess&, const Settings&);
void fork_child(CudaProcess&, const Settings&);
void fork_exec(CudaProcess&, const Settings&);
void launch_until_exit(CudaProcess&, const Settings&);
void exceptions(CudaProcess&, const Settings&);

}  // namespace fake_driver
