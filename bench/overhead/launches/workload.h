// What a tracing tool makes slower: launches, copies, graphs, waits, as a program issues them.
#pragma once

#include <string_view>
#include <vector>

#include "cuda_driver.h"

namespace bench {

// Device 0's primary context with one empty kernel. Construct it on the thread that measures;
// other threads make the context current themselves.
class Gpu {
 public:
  // Throws std::runtime_error.
  Gpu();

  CUstream new_stream() const;
  void destroy(CUstream stream) const { driver.stream_destroy(stream); }
  void launch(CUstream stream) const;
  void synchronize(CUstream stream) const;

  CudaDriver driver;
  CUcontext context = nullptr;

 private:
  CUfunction kernel_ = nullptr;
};

struct Row {
  std::string_view name;
  long operations;  // of one measurement
  // Issues that many operations, waits for their end; nanoseconds of the issuing thread an
  // operation. Throws std::runtime_error.
  double (*measure)(const Gpu& gpu, long operations);
};

// All rows, in the order in which they run.
const std::vector<Row>& rows();

}  // namespace bench
