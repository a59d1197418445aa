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

std::string Table::shortened(const std::string& cell, std::size_t width, bool utf8) const {
  switch (fold_) {
    case Fold::middle:
      return cut_middle(cell, width, utf8);
    case Fold::name:
      return folded_name(cell, width, utf8);
    case Fold::end:
    case Fold::wrap:
      break;
  }
  return cut(cell, width, utf8);
}

std::string Table::text_of(const std::vector<Column>& columns,
                           const std::vector<std::string>& cells, std::size_t indent,
                           bool utf8) const {
  std::string text(indent, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    std::string cell = printable(cells[i], utf8);
    if (i + 1 == columns.size()) cell = shortened(cell, columns[i].width, utf8);
    if (i > 0) text.append(kBetween, ' ');
    text += columns[i].align == Align::right ? pad_left(std::move(cell), columns[i].width)
                                             : pad_right(std::move(cell), columns[i].width);
  }
  return text;
}

void Table::print_row(Canvas& canvas, const std::vector<Column>& columns, const Row& row,
                      std::size_t indent) const {
  const std::size_t room = columns.back().width;
  std::vector<std::string> cells = row.cells;
  std::string more;
  if (fold_ == Fold::wrap && room > 0) {
    const std::string whole = printable(cells.back(), canvas.utf8());
    cells.back() = wrapped(whole, room).front();
    if (cells.back().size() < whole.size()) more = whole.substr(cells.back().size());
    if (!more.empty() && more.front() == ' ') more.erase(0, 1);
  }
  canvas.line(text_of(columns, cells, indent, canvas.utf8()), row.style);
  if (more.empty()) return;
  cells.assign(columns.size(), "");
  cells.back() = more;
  canvas.line(text_of(columns, cells, indent, canvas.utf8()), row.style);
}

void Table::print(Canvas& canvas, std::size_t indent) const {
  if (columns_.empty()) return;
  const std::vector<Column> shown = fitted(canvas, indent);
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  canvas.line(text_of(shown, headers, indent, canvas.utf8()), Style::faint);
  for (const Row& row : rows_) print_row(canvas, shown, row, indent);
}

}  // namespace gapscope::sink
