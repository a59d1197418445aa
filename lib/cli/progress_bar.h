// A line on stderr that shows how far long work has come; nothing unless stderr is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gapscope::cli {

// Single-threaded. Draws at most ten times a second, first after half a second, and wipes its line.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();  // wipes
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  const std::string what_;
  const bool terminal_;
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace gapscope::cli
