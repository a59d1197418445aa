// The fake's diary: one line an event, each written at once so that it survives any ending.
// "violation: TEXT" breaks a rule of CUPTI or of DESIGN's; "event: TEXT" is for tests to read.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace fake_cupti {

class Log {
 public:
  explicit Log(const std::string& path);  // appends; an empty path only counts
  void violation(const std::string& text);
  void event(const std::string& text);
  std::uint64_t violations() const { return violations_.load(std::memory_order_relaxed); }

 private:
  void line(const char* kind, const std::string& text);

  int fd_ = -1;
  std::atomic<std::uint64_t> violations_{0};
};

}  // namespace fake_cupti
