#include "sink/safe_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gapscope::sink {
namespace {

constexpr char32_t kInvalid = 0xffffffff;

struct Character {
  char32_t code;      // kInvalid for a byte that starts no valid sequence
  std::size_t bytes;  // 1 or more
};

// Decodes one character; rejects overlong forms, surrogates and values beyond Unicode.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {kInvalid, 1};
  char32_t code = lead & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kInvalid, 1};
    code = code << 6 | (byte(i) & 0x3f);
  }
  static constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return {kInvalid, 1};
  return {code, length};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return code >= r.first && code <= r.last; });
}

// Controls, invisible and direction-changing format characters, private use, noncharacters.
bool is_unsafe(char32_t code) {
  static constexpr std::array<Range, 12> kUnsafe = {{{0x00, 0x1f},
                                                     {0x7f, 0x9f},
                                                     {0xad, 0xad},
                                                     {0x61c, 0x61c},
                                                     {0x200b, 0x200f},
                                                     {0x2028, 0x202e},
                                                     {0x2060, 0x206f},
                                                     {0xe000, 0xf8ff},
                                                     {0xfeff, 0xfeff},
                                                     {0xfff0, 0xfffb},
                                                     {0xe0000, 0xe0fff},
                                                     {0xf0000, 0x10ffff}}};
  return code == kInvalid || within(kUnsafe, code);
}

// The common blocks; a terminal may disagree on rarities, which then costs a ragged column only.
int column_width(char32_t code) {
  static constexpr std::array<Range, 6> kCombining = {{{0x300, 0x36f},
                                                       {0x483, 0x489},
                                                       {0x591, 0x5bd},
                                                       {0x64b, 0x65f},
                                                       {0x20d0, 0x20f0},
                                                       {0xfe00, 0xfe0f}}};
  static constexpr std::array<Range, 8> kWide = {{{0x1100, 0x115f},
                                                  {0x2e80, 0x303e},
                                                  {0x3041, 0xa4cf},
                                                  {0xac00, 0xd7a3},
                                                  {0xf900, 0xfaff},
                                                  {0xfe30, 0xfe6f},
                                                  {0xff00, 0xff60},
                                                  {0x1f300, 0x3fffd}}};
  if (code < 0x300) return 1;
  if (within(kCombining, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

std::string_view ascii_likeness(char32_t code) {
  switch (code) {
    case 0x2013:
    case 0x2014:
      return "-";
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201c:
    case 0x201d:
      return "\"";
    case 0x2026:
      return "..";
    case 0x2192:
      return "->";
    case 0xb5:
    case 0x3bc:
      return "u";
    default:
      return "?";
  }
}

// Where the longest tail of at most width columns begins.
std::size_t tail_begin(std::string_view text, std::size_t width) {
  std::size_t excess = columns(text);
  std::size_t at = 0;
  while (excess > width && at < text.size()) {
    const Character c = decode(text.substr(at));
    excess -= static_cast<std::size_t>(column_width(c.code));
    at += c.bytes;
  }
  return at;
}

// "34.4 %", "5 us": the unit may not start a line.
bool is_unit(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == ':' ||
                           word.back() == ')' || word.back() == '.')) {
    word.remove_suffix(1);
  }
  static constexpr std::array<std::string_view, 13> kUnits = {
      "%", "s", "ms", "us", "ns", "B", "kB", "MB", "GB", "TB", "GB/s", "ms/step", "us/step"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// Bytes of the first word, the unit after it included.
std::size_t word_bytes(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (end + 1 >= text.size()) return end;
  const std::size_t next = std::min(text.find(' ', end + 1), text.size());
  return is_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

// Where a word of which `fits` bytes fit is broken: behind a path's last '/', else there.
std::size_t break_before(std::string_view word, std::size_t fits) {
  const std::size_t slash = word.substr(0, fits).rfind('/');
  return slash == std::string_view::npos || slash == 0 ? fits : slash + 1;
}

std::string_view ellipsis(bool utf8) { return utf8 ? "\u2026" : ".."; }

}  // namespace

std::string printable(std::string_view text, bool utf8) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decode(text);
    if (c.code == '\t' || c.code == '\n' || c.code == '\r' || c.code == 0x2028) {
      out += ' ';
    } else if (is_unsafe(c.code)) {
      out += '?';
    } else if (!utf8 && c.code >= 0x80) {
      out += ascii_likeness(c.code);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    width += static_cast<std::size_t>(column_width(c.code));
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::size_t fitting_bytes(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t used = 0;
  while (at < text.size()) {
    const Character c = decode(text.substr(at));
    used += static_cast<std::size_t>(column_width(c.code));
    if (used > width) break;
    at += c.bytes;
  }
  return at;
}

std::string cut(std::string_view text, std::size_t width, bool utf8) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view mark = ellipsis(utf8);
  const std::size_t mark_width = columns(mark);
  if (width <= mark_width) return std::string(text.substr(0, fitting_bytes(text, width)));
  std::string out(text.substr(0, fitting_bytes(text, width - mark_width)));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.append(mark);
}

std::string cut_middle(std::string_view text, std::size_t width, bool utf8) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view mark = ellipsis(utf8);
  const std::size_t mark_width = columns(mark);
  if (width < mark_width + 6) return cut(text, width, utf8);
  const std::size_t kept = width - mark_width;
  const std::size_t tail = kept * 2 / 5;
  std::string out(text.substr(0, fitting_bytes(text, kept - tail)));
  return out.append(mark).append(text.substr(tail_begin(text, tail)));
}

std::string folded_name(std::string_view name, std::size_t width, bool utf8) {
  // What cuBLAS and cuDNN put at the end of every name.
  if (columns(name) > width) name = name.substr(0, name.find("_execute_kernel"));
  while (columns(name) > width) {
    // Only what stands before the arguments is a namespace.
    const std::size_t colons = name.substr(0, name.find_first_of("<(")).find("::");
    if (colons == std::string_view::npos || colons + 2 >= name.size()) break;
    name.remove_prefix(colons + 2);
  }
  return cut_middle(name, width, utf8);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    std::size_t end = word_bytes(text);
    const std::size_t fits =
        std::max(fitting_bytes(text.substr(0, end), width), std::min(end, decode(text).bytes));
    const bool broken = fits < end;
    if (broken) end = break_before(text, fits);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(broken ? end : std::min(end + 1, text.size()));
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::string short_command(std::string_view command) {
  std::string out;
  for (int word = 0; word < 2 && !command.empty(); ++word) {
    const std::size_t end = std::min(command.find(' '), command.size());
    const std::string_view path = command.substr(0, end);
    const std::size_t slash = path.rfind('/');
    const bool folders = slash != std::string_view::npos && slash + 1 < path.size() &&
                         (word == 0 || path.front() == '/');
    out += folders ? path.substr(slash + 1) : path;
    command.remove_prefix(end);
    if (!command.empty()) {
      out += ' ';
      command.remove_prefix(1);
    }
  }
  return out.append(command);
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t used = columns(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t used = columns(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

}  // namespace gapscope::sink
