// An activity buffer as CUPTI fills one: 93 of 100 records are kernels, 4 copies, 3 sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_api.h"
#include "occupancy.h"

namespace gapscope::bench {

class ActivityBuffer {
 public:
  ActivityBuffer(std::size_t bytes, std::uint32_t names);

  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
  std::size_t valid_bytes() const { return valid_bytes_; }
  std::size_t records() const { return records_; }

 private:
  template <typename T>
  T& append();

  std::vector<std::string> names_;
  std::vector<std::uint64_t> words_;
  std::size_t valid_bytes_ = 0;
  std::size_t records_ = 0;
};

// The limits of the device that the kernels ran on.
cupti::OccupancyTable h200();

// cuptiActivityGetNextRecord over such a buffer, as cheap as it can be.
CUptiResult CUPTIAPI next_record(std::uint8_t* buffer, std::size_t valid_bytes,
                                 CUpti_Activity** record);

}  // namespace gapscope::bench
