// Neighbouring samples of a thread that say the same become one longer sample: a thread that sleeps
// for a second is a few dozen records, not five hundred.
//
// Holds one sample a thread between begin and flush(). Thread-safety: one owner.
#pragma once

#include <cstdint>
#include <vector>

#include "record/record.h"

namespace gapscope {

class SampleMerger {
 public:
  // The longest merged sample: evidence keeps that resolution.
  static constexpr std::uint64_t kMaxNs = 20'000'000;

  // sample: a ThreadSampleRecord with its frames. What it is not merged with goes to sink.
  void add(const RecordHeader& sample, RecordSink& sink);
  // All that is held goes to sink.
  void flush(RecordSink& sink);

 private:
  using Bytes = std::vector<std::uint64_t>;  // a record, aligned
  struct Held {
    std::uint32_t os_tid;
    Bytes record;
  };
  static bool merge(ThreadSampleRecord& into, const Bytes& held, const RecordHeader& next);

  std::vector<Held> held_;  // few: as many as there are sampled threads
};

}  // namespace gapscope
