#include "buffer.h"

#include <cupti.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace fake_cupti {
namespace {

constexpr std::uint8_t kPoison = 0xee;  // a reader that goes past the valid bytes finds this

std::uint64_t mix(std::uint64_t hash, const std::uint8_t* p, std::size_t n) {
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, p + i, 8);
    hash = (hash ^ word) * 0x100000001b3ull;
  }
  return hash;
}

}  // namespace

Buffer::Buffer(std::uint8_t* data, std::size_t size, std::size_t max_records)
    : data_(data), size_(size), max_records_(max_records) {
  std::memset(data_, kPoison, size_);
}

bool Buffer::fits(const Record& record) const {
  return used_ + record.size <= size_ && (max_records_ == 0 || places_.size() < max_records_);
}

void Buffer::write(const Record& record) {
  std::memcpy(data_ + used_, record.bytes.data(), record.size);
  written_ = mix(written_, record.bytes.data(), record.size);
  places_.push_back(
      {used_, used_ + record.start_offset, used_ + record.end_offset, record.complete_ns});
  complete_ns_ = std::max(complete_ns_, record.complete_ns);
  used_ += record.size;
}

void Buffer::blank_incomplete(std::uint64_t now_ns) {
  const std::uint64_t none = 0;
  for (const Place& place : places_) {
    if (place.complete_ns <= now_ns) continue;
    std::memcpy(data_ + place.start_at, &none, sizeof none);
    std::memcpy(data_ + place.end_at, &none, sizeof none);
  }
}

void Buffer::tear() {
  if (places_.empty()) return;
  std::memset(data_ + places_[places_.size() / 2].at, kPoison, sizeof(CUpti_ActivityKind));
}

std::uint64_t Buffer::checksum() const { return mix(0, data_, used_); }

bool Buffer::mapped() const {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(data_) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(data_) + size_;
  // Does nothing but look whether there is memory.
  return msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

bool Buffer::overlaps(const std::uint8_t* data, std::size_t size) const {
  return data < data_ + size_ && data_ < data + size;
}

}  // namespace fake_cupti
