#include "library_calls.h"

#include <dlfcn.h>

namespace fake_driver {
namespace {

template <typename F>
void find_one(const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

LibraryCalls LibraryCalls::find() {
  LibraryCalls calls;
  find_one("gapscope_start", calls.start);
  find_one("gapscope_stop", calls.stop);
  find_one("gapscope_step", calls.step);
  find_one("gapscope_state", calls.state);
  find_one("gapscope_report", calls.report);
  find_one("gapscope_range_push", calls.range_push);
  find_one("gapscope_range_pop", calls.range_pop);
  return calls;
}

bool LibraryCalls::complete() const {
  return start && stop && step && state && report && range_push && range_pop;
}

}  // namespace fake_driver
