// What instructions.py counts. A subject prepares, warms up, then does its work inside
// count_here(), which is all that callgrind collects.
#pragma once

#include <cstdint>
#include <cstring>

namespace gapscope::bench {

// Calls f(context). Never inlined: callgrind is told its name.
void count_here(void (*f)(void*), void* context);

template <typename F>
void counted(F f) {
  count_here([](void* context) { (*static_cast<F*>(context))(); }, &f);
}

// Runs one subject; returns how many records it worked on. 0: something went wrong.
using Subject = std::uint64_t (*)();
bool register_subject(const char* name, Subject subject);

}  // namespace gapscope::bench
