// A C++ program that lives by exceptions, while it launches.
#include <pthread.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include "names.h"
#include "scenario.h"

namespace fake_driver {
namespace {

constexpr std::uint64_t kUs = 1000;

struct Counts {
  std::atomic<std::int64_t> caught{0}, passed_on{0}, unwound{0};
};

struct Unwound {
  explicit Unwound(Counts& c) : counts(c) {}
  ~Unwound() { ++counts.unwound; }
  Counts& counts;
};

class StepFailed : public std::runtime_error {
 public:
  explicit StepFailed(std::uint32_t n) : std::runtime_error("step"), step(n) {}
  std::uint32_t step;
};

[[gnu::noinline]] void fail(CudaProcess& cuda, Counts& counts, std::uint32_t step) {
  const Unwound frame(counts);
  cuda.launch(kSaxpy, 2 * kUs);
  throw StepFailed(step);
}

// Caught by its base class and known again by its own.
[[gnu::noinline]] void step(CudaProcess& cuda, Counts& counts, std::uint32_t number) {
  const Unwound frame(counts);
  try {
    fail(cuda, counts, number);
  } catch (const std::runtime_error& error) {
    const auto* known = dynamic_cast<const StepFailed*>(&error);
    counts.caught += known != nullptr && known->step == number ? 1 : 0;
    throw;
  }
}

// Ends in the middle of its frames, as a cancelled thread does.
void* end_inside(void* counts) {
  const Unwound frame(*static_cast<Counts*>(counts));
  pthread_exit(nullptr);
}

}  // namespace

// Thrown, caught, thrown on, taken to another thread; and a thread that unwinds without one.
void exceptions(CudaProcess& cuda, const Settings& settings) {
  Counts counts;
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> last(settings.threads);
  for (std::uint32_t t = 0; t < settings.threads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < settings.operations; ++i) {
        try {
          step(cuda, counts, i);
        } catch (...) {
          last[t] = std::current_exception();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : last) {
    try {
      std::rethrow_exception(error);
    } catch (const StepFailed& failed) {
      counts.passed_on += failed.step + 1 == settings.operations ? 1 : 0;
    }
  }
  pthread_t ending{};
  if (pthread_create(&ending, nullptr, &end_inside, &counts) == 0) pthread_join(ending, nullptr);
  cuda.simple(FAKE_CTX_SYNCHRONIZE);
  cuda.truth().set("caught", counts.caught);
  cuda.truth().set("passed_on", counts.passed_on);
  cuda.truth().set("unwound", counts.unwound);
}

}  // namespace fake_driver
