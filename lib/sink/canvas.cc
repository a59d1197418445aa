#include "sink/canvas.h"

#include <algorithm>

#include "sink/safe_text.h"

namespace gapscope::sink {
namespace {

constexpr int kLeastWidth = 40;
constexpr int kMostWidth = 240;

const char* ansi(Style style) {
  switch (style) {
    case Style::label:
      return "\x1b[1m";
    case Style::faint:
      return "\x1b[2m";
    case Style::good:
      return "\x1b[32m";
    case Style::warn:
      return "\x1b[33m";
    case Style::bad:
      return "\x1b[1;31m";
    case Style::plain:
      break;
  }
  return "";
}

Span label_span(std::string_view label) {
  return {pad_right(std::string(label), kLabelWidth), Style::label};
}

}  // namespace

Canvas::Canvas(const TextOptions& options)
    : width_(static_cast<std::size_t>(std::clamp(options.width, kLeastWidth, kMostWidth))),
      colour_(options.colour),
      utf8_(options.utf8) {}

void Canvas::emit(const Span& span) {
  const bool styled = colour_ && span.style != Style::plain;
  if (styled) out_ += ansi(span.style);
  out_ += span.text;
  if (styled) out_ += "\x1b[0m";
}

void Canvas::line(const std::vector<Span>& spans) {
  std::size_t total = 0;
  for (const Span& span : spans) total += columns(printable(span.text, utf8_));
  std::size_t left = width_;
  for (const Span& span : spans) {
    std::string text = printable(span.text, utf8_);
    // Where the line is too long, the span that crosses its end carries the ellipsis.
    if (total > width_ && columns(text) >= left) text = cut(text + " ", left, utf8_);
    left -= std::min(left, columns(text));
    if (!text.empty()) emit({std::move(text), span.style});
    if (left == 0) break;
  }
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  out_ += '\n';
}

void Canvas::labelled(std::string_view label, const std::vector<Span>& spans) {
  std::vector<Span> all = {label_span(label)};
  all.insert(all.end(), spans.begin(), spans.end());
  line(all);
}

void Canvas::folded(std::string_view label, std::string_view text, Style style) {
  for (std::string& row : wrapped(printable(text, utf8_), width_ - kLabelWidth)) {
    labelled(label, {{std::move(row), style}});
    label = "";
  }
}

void Canvas::pieces(std::string_view label, const std::vector<Span>& spans) {
  const std::size_t room = width_ - kLabelWidth;
  std::vector<Span> row;
  std::size_t used = 0;
  const auto flush = [&] {
    labelled(label, row);
    label = "";
    row.clear();
    used = 0;
  };
  for (const Span& span : spans) {
    const std::size_t needs = columns(printable(span.text, utf8_));
    if (used > 0 && used + 2 + needs > room) flush();
    if (used > 0) row.push_back({"  ", Style::plain});
    used += (used > 0 ? 2 : 0) + needs;
    row.push_back(span);
  }
  flush();
}

void Canvas::blank() { out_ += '\n'; }

}  // namespace gapscope::sink
