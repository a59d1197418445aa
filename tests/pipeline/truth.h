// What the scenario really did: every device operation and call, as JSON for the test to compare.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fake_cupti_control.h"

namespace fake_driver {

struct Operation {
  std::string kind;  // "kernel", "copy", "set"
  std::string name;  // kernel's, or the copy's direction
  std::uint32_t device;
  std::uint32_t stream;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint64_t bytes;
  std::uint32_t correlation;
  std::uint8_t fate;  // fake_fate
  bool counted;       // within the captured range
  bool graph;         // launched from a graph
  std::uint64_t enter_ns;
};

class Truth {
 public:
  void add(const Operation& operation);
  void add_call(const std::string& name, const fake_call_spec& spec,
                const fake_call_result& result);
  void set(const std::string& key, std::int64_t value);
  // Written whole to path; false if that failed.
  bool write(const std::string& path) const;

 private:
  struct Calls {
    std::int64_t count = 0, failed = 0, captured = 0, total_ns = 0;
  };
  mutable std::mutex mutex_;
  std::vector<Operation> operations_;
  std::map<std::string, Calls> calls_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace fake_driver
