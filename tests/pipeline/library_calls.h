// The library's C interface as a program reaches it that may run without the library: by name.
#pragma once

#include "gapscope/gapscope.h"

namespace fake_driver {

struct LibraryCalls {
  decltype(&::gapscope_start) start = nullptr;
  decltype(&::gapscope_stop) stop = nullptr;
  decltype(&::gapscope_step) step = nullptr;
  decltype(&::gapscope_state) state = nullptr;
  decltype(&::gapscope_report) report = nullptr;
  decltype(&::gapscope_range_push) range_push = nullptr;
  decltype(&::gapscope_range_pop) range_pop = nullptr;

  static LibraryCalls find();
  bool complete() const;
};

}  // namespace fake_driver
