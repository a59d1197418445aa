// One activity buffer while the fake holds it, with what is needed to tell whether its owner
// touched it meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record.h"

namespace fake_cupti {

class Buffer {
 public:
  Buffer() = default;
  Buffer(std::uint8_t* data, std::size_t size, std::size_t max_records);

  bool exists() const { return data_ != nullptr; }
  bool fits(const Record& record) const;
  void write(const Record& record);
  // All records have their times by then.
  bool complete(std::uint64_t now_ns) const { return complete_ns_ <= now_ns; }
  // Forced out early: records that are still running have no times.
  void blank_incomplete(std::uint64_t now_ns);
  // Its middle record, and so all that follow, cannot be read any more.
  void tear();
  // What was written is still there: nobody else wrote to the buffer.
  bool intact() const { return checksum() == written_; }
  bool overlaps(const std::uint8_t* data, std::size_t size) const;

  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t used() const { return used_; }
  std::size_t records() const { return places_.size(); }
  // Its memory is still there: nobody unmapped it.
  bool mapped() const;

 private:
  struct Place {
    std::size_t at;        // within the buffer
    std::size_t start_at;  // of its timestamps
    std::size_t end_at;
    std::uint64_t complete_ns;
  };
  std::uint64_t checksum() const;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t max_records_ = 0;
  std::size_t used_ = 0;
  std::uint64_t complete_ns_ = 0;
  std::uint64_t written_ = 0;
  std::vector<Place> places_;
};

}  // namespace fake_cupti
