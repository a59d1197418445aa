#include "host/python_line.h"

#include <cstddef>

namespace gapscope {
namespace {

constexpr int kMaxLine = 10'000'000;

int checked(std::int64_t line) { return line > 0 && line <= kMaxLine ? static_cast<int>(line) : 0; }

// Little-endian groups of six bits; bit 6 says that more follow.
class Varints {
 public:
  Varints(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::int64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 36; shift += 6) {
      if (at_ >= bytes_.size()) return 0;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 63) << shift;
      if ((byte & 64) == 0) break;
    }
    return static_cast<std::int64_t>(value);
  }
  std::int64_t next_signed() {  // the sign is the lowest bit
    const std::int64_t value = next();
    return (value & 1) != 0 ? -(value >> 1) : value >> 1;
  }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

enum EntryKind { kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15 };

std::int64_t line_delta(int kind, std::string_view table, std::size_t at) {
  if (kind == kNoColumns || kind == kLong) return Varints(table, at).next_signed();
  if (kind >= kOneLine0 && kind <= kOneLine2) return kind - kOneLine0;
  return 0;
}

}  // namespace

int line_of_3_10(std::string_view table, std::int64_t byte_offset, int first_line) {
  std::int64_t line = first_line;
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto delta = static_cast<signed char>(table[i + 1]);
    end += static_cast<unsigned char>(table[i]);
    if (delta != -128) line += delta;
    if (byte_offset < end) return delta == -128 ? 0 : checked(line);
  }
  return 0;
}

int line_of_3_11(std::string_view table, std::int64_t byte_offset, int first_line) {
  std::int64_t line = first_line;
  std::int64_t end = 0;
  if (byte_offset < 0) return checked(first_line);  // has not begun its first instruction
  std::size_t i = 0;
  while (i < table.size()) {
    const auto head = static_cast<unsigned char>(table[i]);
    if ((head & 128) == 0) return 0;  // the first byte of an entry, and only it, has this bit
    const int kind = head >> 3 & 15;
    end += ((head & 7) + 1) * 2;
    line += line_delta(kind, table, i + 1);
    if (byte_offset < end) return kind == kNone ? 0 : checked(line);
    ++i;
    while (i < table.size() && (static_cast<unsigned char>(table[i]) & 128) == 0) ++i;
  }
  return 0;
}

}  // namespace gapscope
