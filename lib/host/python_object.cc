#include "host/python_object.h"

#include <array>
#include <cstring>

namespace gapscope {
namespace {

constexpr std::size_t kHeadBytes = 64;  // covers type, length and state in every layout

template <typename T>
T at(const unsigned char* bytes, std::uint32_t offset) {
  T value{};
  std::memcpy(&value, bytes + offset, sizeof(T));
  return value;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18 & 7));
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

// Bytes a character, and whether ASCII, from the state word; 0 when the string is not compact.
// The fields follow the interned mark, which has 2 bits, or 16 from 3.14.
unsigned kind_of(std::uint32_t state, bool* ascii) {
  unsigned shift = 2;
  if ((state >> shift & 7) == 0) shift = 16;
  const unsigned kind = state >> shift & 7;
  const bool compact = (state >> (shift + 3) & 1) != 0;
  *ascii = (state >> (shift + 4) & 1) != 0;
  const bool known = kind == 1 || kind == 2 || kind == 4;
  return known && compact && !(*ascii && kind != 1) ? kind : 0;
}

}  // namespace

std::optional<std::string> read_python_text(const OwnMemory& memory, const PythonProcess& process,
                                            std::uint64_t object, std::size_t max_characters) {
  const PythonLayout& l = process.layout;
  std::array<unsigned char, kHeadBytes> head{};
  const std::size_t head_bytes = l.unicode_ascii;
  if (object == 0 || head_bytes > kHeadBytes || !memory.read(object, head.data(), head_bytes) ||
      at<std::uint64_t>(head.data(), l.object_type) != process.unicode_type) {
    return std::nullopt;
  }
  const auto length = at<std::uint64_t>(head.data(), l.unicode_length);
  bool ascii = false;
  const unsigned kind = kind_of(at<std::uint32_t>(head.data(), l.unicode_state), &ascii);
  if (kind == 0 || length > max_characters) return std::nullopt;
  std::string raw(length * kind, '\0');
  const std::uint64_t from = object + (ascii ? l.unicode_ascii : l.unicode_compact);
  if (length > 0 && !memory.read(from, raw.data(), raw.size())) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < raw.size(); i += kind) {
    std::uint32_t c = 0;
    std::memcpy(&c, raw.data() + i, kind);  // little-endian, as every machine with such a GPU
    if (ascii && c > 0x7f) return std::nullopt;
    append_utf8(text, c);
  }
  return text;
}

std::optional<std::string> read_python_bytes(const OwnMemory& memory, const PythonProcess& process,
                                             std::uint64_t object, std::size_t max_bytes) {
  const PythonLayout& l = process.layout;
  std::array<unsigned char, kHeadBytes> head{};
  if (object == 0 || l.bytes_data > kHeadBytes || !memory.read(object, head.data(), l.bytes_data) ||
      at<std::uint64_t>(head.data(), l.object_type) != process.bytes_type) {
    return std::nullopt;
  }
  const auto size = at<std::uint64_t>(head.data(), l.bytes_size);
  if (size > max_bytes) return std::nullopt;
  std::string bytes(size, '\0');
  if (size > 0 && !memory.read(object + l.bytes_data, bytes.data(), size)) return std::nullopt;
  return bytes;
}

}  // namespace gapscope
