// Stalls of known length, planted between two steps while the device's queue is empty: what a
// profiler must find again.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <string>

namespace cpp_train {

class Stalls {
 public:
  // spec: "" (none), "sleep:MS", "malloc:BYTES", "read:FILE" or "module:COUNT"; every: a stall
  // before each every-th step. Prints what is wrong with a bad spec and exits with code 2.
  Stalls(const std::string& spec, int every);

  // Stalls if step is one of the chosen ones. The device has finished when the stall begins.
  void before_step(int step, cudaStream_t stream);

  bool planted() const { return kind_ != Kind::none; }
  const std::string& spec() const { return spec_; }
  int count() const { return count_; }
  double total_ms() const { return std::chrono::duration<double, std::milli>(total_).count(); }

 private:
  enum class Kind { none, sleep, malloc, read, module };

  void stall();
  void load_module();

  std::string spec_;
  Kind kind_ = Kind::none;
  std::string file_;
  long long amount_ = 0;  // milliseconds, bytes or modules
  int every_;
  int count_ = 0;
  int modules_ = 0;
  std::chrono::steady_clock::duration total_{};
};

}  // namespace cpp_train
