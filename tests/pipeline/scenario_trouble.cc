// Scenarios in which something goes wrong, or is limited on purpose.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "names.h"
#include "scenario.h"
#include "wall_clock.h"

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1000 * kUs;

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void launch_with_fate(CudaProcess& cuda, fake_fate fate, std::uint64_t duration_ns) {
  fake_call_spec spec{};
  spec.api = FAKE_LAUNCH_KERNEL;
  spec.work.name = kGemm;
  spec.work.duration_ns = duration_ns;
  spec.work.fate = static_cast<std::uint8_t>(fate);
  cuda.call(spec);
}

void plain(CudaProcess& cuda, std::uint32_t operations) {
  for (std::uint32_t i = 0; i < operations; ++i) cuda.launch(kSaxpy, 10 * kUs);
}

}  // namespace

// cudaProfilerStart and Stop around the middle third.
void range(CudaProcess& cuda, const Settings& settings) {
  cuda.set_counted(false);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.simple(FAKE_PROFILER_START);
  cuda.set_counted(true);
  plain(cuda, settings.operations);
  cuda.copy(FAKE_MEMCPY_HTOD_ASYNC, 1 << 16, 20 * kUs);
  cuda.simple(FAKE_PROFILER_STOP);
  cuda.set_counted(false);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void failed_calls(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    cuda.launch(kSaxpy, 10 * kUs);
    fake_call_spec bad{};
    bad.api = FAKE_LAUNCH_KERNEL;
    bad.result = 719;  // CUDA_ERROR_LAUNCH_FAILED
    cuda.call(bad);
    cuda.copy(FAKE_MEMCPY_HTOD_ASYNC, 0, 0);
    cuda.copy(FAKE_MEMCPY_ANY_ASYNC, 128, 0);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// One record never comes: the device ran something there, nobody knows for how long.
void lost_record(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  launch_with_fate(cuda, FAKE_LOST, 20 * kMs);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void lost_last(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  launch_with_fate(cuda, FAKE_LOST, kMs);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// A record that comes long after those of later operations.
void late_record(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  launch_with_fate(cuda, FAKE_LATE, 5 * kMs);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  pause_ms(700);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  pause_ms(700);
  cuda.truth().set("late", cuda.release_late());
}

// The program ends while a kernel still runs.
void running_kernel(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.launch(kGemm, 60'000 * kMs);
}

// A kernel of some seconds in the middle. CUPTI hands back no buffer that holds an incomplete
// record, so those of the finished kernels before it come seconds late.
void long_kernel(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, 20);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.launch(kGemm, 4'000 * kMs);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  plain(cuda, 20);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// The context is destroyed early, and a second one used and destroyed: its id is another.
void device_reset(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.context_destroyed(1);
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    fake_call_spec spec{};
    spec.api = FAKE_LAUNCH_KERNEL;
    spec.context = 5;
    spec.stream = 7;
    spec.work.name = kGemm;
    spec.work.duration_ns = 10 * kUs;
    cuda.call(spec);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.context_destroyed(5);
}

// The wall clock is stepped in the middle, as by NTP; CUPTI's stamps follow it.
void clock_step(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  pause_ms(400);
  const std::int64_t step_ns = settings.step_s * 1'000'000'000;
  if (!step_wall_clock(step_ns)) std::exit(2);
  cuda.clock_stepped(step_ns);
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  pause_ms(400);
}

// The library's collector gets no CPU for a second; the program's threads must not notice.
void collector_stands_still(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, 50);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  if (!hold_up_thread("gapscope-coll")) std::exit(2);
  while (threads_held_up() == 0) {
    cuda.launch(kSaxpy, kUs);  // it reads the clock only where there is something to do
    pause_ms(1);
  }
  plain(cuda, settings.operations);
  pause_ms(1000);
  cuda.truth().set("held_up", threads_held_up());
  hold_up_thread(nullptr);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  plain(cuda, 50);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void fatal(CudaProcess& cuda, const Settings& settings) {
  plain(cuda, settings.operations);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  pause_ms(700);  // delivered by a flush before CUPTI goes
  cuda.fatal_error();
  plain(cuda, settings.operations);
  pause_ms(700);
}

// exit() on this thread while others still launch.
void launch_until_exit(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t t = 0; t < settings.threads; ++t) {
    std::thread([&cuda, t] {
      for (;;) cuda.launch(kSaxpy, 4 * kUs, 0, 20 + t);
    }).detach();
  }
  pause_ms(200);
}

}  // namespace fake_driver
