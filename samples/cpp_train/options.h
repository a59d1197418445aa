// The command line.
#pragma once

#include <string>

namespace cpp_train {

struct Options {
  int steps = 300;
  int batch = 256;
  int width = 1024;  // of the hidden layers
  int log_every = 20;
  float rate = 1e-3f;
  unsigned seed = 1;
  std::string plant;     // see stalls.h
  int plant_every = 10;  // steps
};

// Prints what is wrong and exits with code 2; --help exits with 0.
Options parse_options(int argc, char** argv);

}  // namespace cpp_train
