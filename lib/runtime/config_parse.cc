#include "runtime/config_parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "fmt/format.h"

namespace gapscope::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit kSizeUnits[] = {
    {"", 1},
    {"b", 1},
    {"k", 1ull << 10},
    {"kib", 1ull << 10},
    {"kb", 1000ull},
    {"m", 1ull << 20},
    {"mib", 1ull << 20},
    {"mb", 1000ull * 1000},
    {"g", 1ull << 30},
    {"gib", 1ull << 30},
    {"gb", 1000ull * 1000 * 1000},
    {"t", 1ull << 40},
    {"tib", 1ull << 40},
    {"tb", 1000ull * 1000 * 1000 * 1000},
};

constexpr std::uint64_t kSecond = 1000ull * 1000 * 1000;
constexpr Unit kTimeUnits[] = {
    {"", kSecond}, {"s", kSecond},      {"sec", kSecond},      {"ms", kSecond / 1000}, {"us", 1000},
    {"ns", 1},     {"m", 60 * kSecond}, {"min", 60 * kSecond}, {"h", 3600 * kSecond},
};

// number[.fraction][blank]unit, exact for whole numbers, rounded to the nearest for fractions.
template <std::size_t N>
std::optional<std::uint64_t> parse_with_unit(std::string_view text, const Unit (&units)[N]) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto whole = parse_number(text.substr(0, digits));
  if (!whole) return std::nullopt;
  std::size_t at = digits;
  double fraction = 0;
  if (at < text.size() && text[at] == '.') {
    double scale = 0.1;
    for (++at; at < text.size() && absl::ascii_isdigit(text[at]); ++at, scale /= 10) {
      fraction += (text[at] - '0') * scale;
    }
  }
  const std::string unit = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text.substr(at)));
  for (const Unit& u : units) {
    if (u.name != unit) continue;
    if (*whole > std::numeric_limits<std::uint64_t>::max() / u.factor - 1) return std::nullopt;
    return *whole * u.factor +
           static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(u.factor)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_with_unit(absl::StripAsciiWhitespace(text), kSizeUnits);
}

std::optional<std::uint64_t> parse_duration_ns(std::string_view text) {
  return parse_with_unit(absl::StripAsciiWhitespace(text), kTimeUnits);
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const char* yes : {"1", "yes", "on", "true"}) {
    if (absl::EqualsIgnoreCase(text, yes)) return true;
  }
  for (const char* no : {"0", "no", "off", "false"}) {
    if (absl::EqualsIgnoreCase(text, no)) return false;
  }
  return std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view names[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(names) && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, names[unit]);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the classic table: swaps look two rows back.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    // A third of the letters: further off, it is another word.
    const bool near = distance * 3 <= std::max(word.size(), candidate.size());
    if (near && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string quote_for_message(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  std::string out;
  for (const char c : text.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > kMaxShown) out += "...";
  return out;
}

}  // namespace gapscope::config
