// Scenarios of ordinary work.
#include <chrono>
#include <thread>
#include <vector>

#include "names.h"
#include "scenario.h"

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;

void pause_us(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

}  // namespace

// The program links the library and then finds nothing to do on a GPU: cuInit is never called.
void no_cuda(CudaProcess&, const Settings&) { pause_us(400'000); }

// A little of everything that leaves a record.
void basic(CudaProcess& cuda, const Settings& settings) {
  cuda.simple(FAKE_LIBRARY_LOAD_DATA, 200 * kUs);
  cuda.simple(FAKE_MEM_ALLOC, 20 * kUs);
  cuda.copy(FAKE_MEMCPY_HTOD, 1 << 20, 80 * kUs);
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    cuda.launch(kSaxpy, 10 * kUs + i);
    cuda.launch(kGemm, 30 * kUs, i % 7 == 0 ? 50 * kUs : 0, 13);
    if (i % 5 == 0) cuda.copy(FAKE_MEMSET_D8_ASYNC, 4096, 2 * kUs);
    if (i % 8 == 0) cuda.copy(FAKE_MEMCPY_HTOD_ASYNC, 65536, 15 * kUs, 21);
    if (i % 16 == 0) cuda.copy(FAKE_MEMCPY_DTOD_ASYNC, 8192, 3 * kUs, 13);
    if (i % 50 == 0) cuda.simple(FAKE_STREAM_SYNCHRONIZE);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.launch(kNorm, 25 * kUs);
  cuda.copy(FAKE_MEMCPY_DTOH, 4096, 12 * kUs);
  cuda.simple(FAKE_MEM_FREE);
}

void kernels(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) cuda.launch(kSaxpy, 5 * kUs + i % 13);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void threads(CudaProcess& cuda, const Settings& settings) {
  std::vector<std::thread> pool;
  for (std::uint32_t t = 0; t < settings.threads; ++t) {
    pool.emplace_back([&cuda, &settings, t] {
      for (std::uint32_t i = 0; i < settings.operations; ++i) {
        cuda.launch(t % 2 == 0 ? kSaxpy : kGemm, 4 * kUs + t, 0, 20 + t);
        if (i % 32 == 0) cuda.copy(FAKE_MEMCPY_HTOD_ASYNC, 1024, kUs, 20 + t);
      }
      cuda.simple(FAKE_STREAM_SYNCHRONIZE);
    });
  }
  for (std::thread& thread : pool) thread.join();
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

// Threads that come and go, each with a few calls: rings must be taken over, not piled up.
void many_threads(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.threads; ++i) {
    std::thread([&] {
      for (std::uint32_t n = 0; n < settings.operations; ++n) cuda.launch(kSaxpy, 2 * kUs);
    }).join();
    pause_us(static_cast<int>(settings.thread_pause_us));
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

void two_devices(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    cuda.launch(kSaxpy, 10 * kUs, 0, 7, 0);
    cuda.launch(kGemm, 20 * kUs, 0, 7, 1);
    if (i % 10 == 0) {
      fake_call_spec spec{};
      spec.api = FAKE_MEMCPY_PEER_ASYNC;
      spec.device = 0;
      spec.peer_device = 1;
      spec.stream = 7;
      spec.work.bytes = 1 << 16;
      spec.work.duration_ns = 8 * kUs;
      cuda.call(spec);
    }
  }
  cuda.wait_idle();
}

// Collectives beside and without compute: exposed and hidden.
void communication(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    cuda.launch(kGemm, 40 * kUs);
    cuda.launch(kAllReduce, 70 * kUs, 0, 30);
    if (i % 4 == 0) pause_us(300);
  }
  cuda.wait_idle();
}

// Programmatic dependent launch: a kernel starts before the one before it on its stream has ended.
void overlapping(CudaProcess& cuda, const Settings& settings) {
  for (std::uint32_t i = 0; i < settings.operations; ++i) {
    fake_call_spec spec{};
    spec.api = FAKE_LAUNCH_KERNEL_EX;
    spec.work.name = i % 2 == 0 ? kSaxpy : kGemm;
    spec.work.duration_ns = 10 * kUs;
    spec.work.overlap_ns = 3 * kUs;
    cuda.call(spec);
  }
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
}

}  // namespace fake_driver
