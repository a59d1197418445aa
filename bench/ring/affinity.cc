#include "affinity.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <vector>

namespace gapscope::bench {
namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

const std::vector<int>& usable_cpus() {
  static const std::vector<int> list = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> found;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
      }
    }
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return list;
}

}  // namespace

std::uint64_t thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
std::uint64_t wall_ns() { return read_clock(CLOCK_MONOTONIC); }
int cpus() { return static_cast<int>(usable_cpus().size()); }

void run_on(Place place) {
  const std::vector<int>& list = usable_cpus();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == list.size();
    const bool in = list.size() == 1 || place == Place::anywhere ||
                    (place == Place::first && is_first) || (place == Place::last && is_last) ||
                    (place == Place::all_but_last && !is_last);
    if (in) CPU_SET(list[i], &set);
  }
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace gapscope::bench
