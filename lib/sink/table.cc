#include "sink/table.h"

#include <algorithm>

#include "sink/kernel_label.h"
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

std::vector<std::string> Table::last_cells(std::size_t width, bool utf8) const {
  std::vector<std::string> cells;
  for (const Row& row : rows_) cells.push_back(printable(row.cells.back(), utf8));
  if (fold_ == Fold::name) return kernel_labels(cells, width, utf8);
  for (std::string& cell : cells) {
    if (fold_ == Fold::middle) cell = cut_middle(cell, width, utf8);
    if (fold_ == Fold::end) cell = cut(cell, width, utf8);
  }
  return cells;
}

std::string Table::text_of(const std::vector<Column>& columns,
                           const std::vector<std::string>& cells, std::size_t indent,
                           bool utf8) const {
  std::string text(indent, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    std::string cell = printable(cells[i], utf8);
    if (i + 1 == columns.size()) cell = cut(cell, columns[i].width, utf8);
    if (i > 0) text.append(kBetween, ' ');
    text += columns[i].align == Align::right ? pad_left(std::move(cell), columns[i].width)
                                             : pad_right(std::move(cell), columns[i].width);
  }
  return text;
}

void Table::print_row(Canvas& canvas, const std::vector<Column>& columns, const Row& row,
                      std::string last, std::size_t indent) const {
  const std::size_t room = columns.back().width;
  std::string more;
  if (fold_ == Fold::wrap && room > 0) {
    std::string first = wrapped(last, room).front();
    if (first.size() < last.size()) more = last.substr(first.size());
    if (!more.empty() && more.front() == ' ') more.erase(0, 1);
    last = std::move(first);
  }
  std::vector<std::string> cells = row.cells;
  cells.back() = std::move(last);
  canvas.line(text_of(columns, cells, indent, canvas.utf8()), row.style);
  if (more.empty()) return;
  cells.assign(columns.size(), "");
  cells.back() = std::move(more);
  canvas.line(text_of(columns, cells, indent, canvas.utf8()), row.style);
}

void Table::print(Canvas& canvas, std::size_t indent) const {
  if (columns_.empty()) return;
  const std::vector<Column> shown = fitted(canvas, indent);
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  canvas.line(text_of(shown, headers, indent, canvas.utf8()), Style::faint);
  std::vector<std::string> last = last_cells(shown.back().width, canvas.utf8());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    print_row(canvas, shown, rows_[i], std::move(last[i]), indent);
}

}  // namespace gapscope::sink
