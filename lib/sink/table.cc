#include "sink/table.h"

#include <algorithm>

#include "sink/safe_text.h"

namespace gapscope::sink {

void Table::column(std::string header, Align align, int drop, std::size_t least_width) {
  columns_.push_back({std::move(header), align, drop, least_width});
}

void Table::row(std::vector<std::string> cells, Style style) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), style});
}

std::vector<Table::Column> Table::fitted(const Canvas& canvas, std::size_t indent) const {
  std::vector<Column> fitted = columns_;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    fitted[i].width = std::max(fitted[i].width, columns(fitted[i].header));
    for (const Row& row : rows_)
      fitted[i].width = std::max(fitted[i].width, columns(printable(row.cells[i], canvas.utf8())));
  }
  Column& last = fitted.back();
  const std::size_t wanted = std::min(last.width, kLeastText);
  for (;;) {
    std::size_t used = indent;
    Column* droppable = nullptr;
    for (std::size_t i = 0; i + 1 < fitted.size(); ++i) {
      Column& column = fitted[i];
      if (!column.shown) continue;
      used += column.width + kBetween;
      if (column.drop > 0 && (droppable == nullptr || column.drop > droppable->drop))
        droppable = &column;
    }
    const std::size_t room = canvas.width() > used ? canvas.width() - used : 0;
    if (room >= wanted || droppable == nullptr) {
      last.width = std::min(last.width, room);
      return fitted;
    }
    droppable->shown = false;
  }
}

std::string Table::text_of(const std::vector<Column>& columns,
                           const std::vector<std::string>& cells, std::size_t indent,
                           bool utf8) const {
  std::string text(indent, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    std::string cell = printable(cells[i], utf8);
    if (i + 1 == columns.size()) {
      cell = fold_ == Fold::middle ? cut_middle(cell, columns[i].width, utf8)
                                   : cut(cell, columns[i].width, utf8);
    }
    if (i > 0) text.append(kBetween, ' ');
    text += columns[i].align == Align::right ? pad_left(std::move(cell), columns[i].width)
                                             : pad_right(std::move(cell), columns[i].width);
  }
  return text;
}

void Table::print(Canvas& canvas, std::size_t indent) const {
  if (columns_.empty()) return;
  const std::vector<Column> shown = fitted(canvas, indent);
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  canvas.line(text_of(shown, headers, indent, canvas.utf8()), Style::faint);
  for (const Row& row : rows_)
    canvas.line(text_of(shown, row.cells, indent, canvas.utf8()), row.style);
}

}  // namespace gapscope::sink
