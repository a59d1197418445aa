// Where threads run, and what they cost.
#pragma once

#include <cstdint>

namespace gapscope::bench {

// CPU time of the calling thread: waiting and being descheduled are not in it.
std::uint64_t thread_cpu_ns();
std::uint64_t wall_ns();

int cpus();  // that this process may use

enum class Place {
  anywhere,
  first,  // the first CPU
  last,   // the last CPU
  all_but_last
};
// Best effort; with one CPU every place is that one.
void run_on(Place place);

}  // namespace gapscope::bench
