// A printed page, to be asked about by tests.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "sink/safe_text.h"
#include "sink/text.h"

namespace gapscope::test {

struct PageText {
  explicit PageText(const report::Report& report, sink::TextOptions options = {})
      : text(sink::to_text(report, options)), lines(absl::StrSplit(text, '\n')) {
    lines.pop_back();
  }

  bool has(std::string_view words) const { return absl::StrContains(text, words); }

  // The first line that starts with (or, second form, holds) the words; empty if there is none.
  std::string line(std::string_view start) const {
    for (const std::string& candidate : lines)
      if (absl::StartsWith(candidate, start)) return candidate;
    return "";
  }
  std::string line_with(std::string_view words) const {
    for (const std::string& candidate : lines)
      if (absl::StrContains(candidate, words)) return candidate;
    return "";
  }

  // The lines after the one that starts with `start`, up to the first empty one.
  std::vector<std::string> below(std::string_view start) const {
    std::vector<std::string> block;
    bool inside = false;
    for (const std::string& candidate : lines) {
      if (inside && candidate.empty()) break;
      if (inside) block.push_back(candidate);
      inside = inside || absl::StartsWith(candidate, start);
    }
    return block;
  }

  std::size_t widest() const {
    std::size_t widest = 0;
    for (const std::string& candidate : lines) widest = std::max(widest, sink::columns(candidate));
    return widest;
  }

  std::string text;
  std::vector<std::string> lines;
};

// The figures of a line, thousands separators left out: "1,388  62.0 %" gives 1388 and 62.0. Only
// words that are numbers as a whole count, so "H200" and "p50" do not.
inline std::vector<double> figures(const std::string& line) {
  std::vector<double> numbers;
  for (const std::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    if (word.find_first_not_of("0123456789.,") != std::string_view::npos) continue;
    if (word.find_first_of("0123456789") == std::string_view::npos) continue;
    numbers.push_back(std::stod(absl::StrReplaceAll(word, {{",", ""}})));
  }
  return numbers;
}

}  // namespace gapscope::test
