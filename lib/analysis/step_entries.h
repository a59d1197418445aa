// What one step consisted of: device operations, CUDA calls and idle stretches, for a picture of
// it.
//
// Bounded: kMost of each sort; what comes later is counted only.
// Thread-safety: none, one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cause.h"
#include "analysis/operation.h"

namespace gapscope {

struct StepEntry {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t what = 0;   // a kernel's name, a copy's key; ApiId; Cause
  std::uint32_t where = 0;  // stream; thread; nothing
  std::uint32_t context = 0;
  std::uint8_t device = 0;
  bool blocks = false;  // calls
  RecordKind kind = RecordKind::none;
  OperationClass op_class = OperationClass::compute;
};

class StepEntries {
 public:
  static constexpr std::size_t kMost = 5000;

  struct List {
    std::vector<StepEntry> entries;  // in order of begin
    std::int64_t left_out = 0;
    void add(const StepEntry& entry) {
      if (entries.size() < kMost) {
        entries.push_back(entry);
      } else {
        ++left_out;
      }
    }
  };

  void add(const Operation& op);
  void add(const Call& call, bool blocks);
  void add_idle(std::int64_t begin_ns, std::int64_t end_ns, Cause cause);

  // Takes over what of the step before goes on at that time, or begins then or later.
  void continue_from(const StepEntries& before, std::int64_t time_ns);
  void clear();

  const List& operations() const { return operations_; }
  const List& calls() const { return calls_; }
  const List& idle() const { return idle_; }

 private:
  List operations_, calls_, idle_;
};

}  // namespace gapscope
