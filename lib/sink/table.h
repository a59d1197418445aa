// A small table: columns of figures flush right, one last column of text that takes the rest.
#pragma once

#include <string>
#include <vector>

#include "sink/canvas.h"

namespace gapscope::sink {

class Table {
 public:
  enum class Align { left, right };
  // How the last column is shortened: cut at its end, in its middle (paths), as a kernel's name, or
  // continued in one more line.
  enum class Fold { end, middle, name, wrap };

  explicit Table(Fold fold = Fold::end) : fold_(fold) {}

  // Columns from left to right. A column is dropped, the one with the highest `drop` first, while
  // the last column would have less than kLeastText columns; 0 is never dropped.
  void column(std::string header, Align align, int drop = 0, std::size_t least_width = 0);
  void row(std::vector<std::string> cells, Style style = Style::plain);
  bool empty() const { return rows_.empty(); }
  void hide(std::size_t column) { columns_[column].shown = false; }

  // indent blanks before every line.
  void print(Canvas& canvas, std::size_t indent) const;

 private:
  static constexpr std::size_t kLeastText = 20;
  static constexpr std::size_t kBetween = 2;
  struct Column {
    std::string header;
    Align align;
    int drop;
    std::size_t width;
    bool shown = true;
  };
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };

  std::vector<Column> fitted(const Canvas& canvas, std::size_t indent) const;
  std::vector<std::string> last_cells(std::size_t width, bool utf8) const;
  std::string text_of(const std::vector<Column>& columns, const std::vector<std::string>& cells,
                      std::size_t indent, bool utf8) const;
  void print_row(Canvas& canvas, const std::vector<Column>& columns, const Row& row,
                 std::string last, std::size_t indent) const;

  Fold fold_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace gapscope::sink
