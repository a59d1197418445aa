// The sheet that the page is written on: lines of styled text, none wider than the page.
//
// Every text that goes on it is made printable() here, once, so no section can forget it; and every
// line is cut to the width here, so none can run over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sink/text.h"

namespace gapscope::sink {

enum class Style { plain, label, faint, good, warn, bad };

struct Span {
  std::string text;
  Style style = Style::plain;
};

// Labels stand in a column of their own at the left.
inline constexpr std::size_t kLabelWidth = 12;

class Canvas {
 public:
  explicit Canvas(const TextOptions& options);

  std::size_t width() const { return width_; }
  bool utf8() const { return utf8_; }
  const char* arrow() const { return utf8_ ? "\u2192" : "->"; }

  // One line, cut at the width.
  void line(const std::vector<Span>& spans);
  void line(std::string text, Style style = Style::plain) { line({{std::move(text), style}}); }
  // One line behind a label, cut at the width.
  void labelled(std::string_view label, const std::vector<Span>& spans);
  // Text behind a label, broken at blanks where it is too long; further lines start in its column.
  void folded(std::string_view label, std::string_view text, Style style = Style::plain);
  // The same for pieces that are never broken themselves, two blanks between them.
  void pieces(std::string_view label, const std::vector<Span>& spans);
  void blank();

  // Everything written so far.
  std::string take() { return std::move(out_); }

 private:
  void emit(const Span& span);

  const std::size_t width_;
  const bool colour_;
  const bool utf8_;
  std::string out_;
};

}  // namespace gapscope::sink
