// Tables: columns as wide as their contents, as many as fit on the page. Also as Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"

namespace text {

enum class Align { left, right };
enum class Tone { plain, good, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

/// Adjacent columns of one group share a heading above their own. On a narrow page the columns with the highest rank are
/// hidden first; rank 0 is never hidden.
struct Column {
  std::string group{}, heading{};
  Align align = Align::right;
  int rank = 0;
  int gap = 2;                 // blanks before the column
  std::string spoken_name{};   // for a column without a heading
  bool is_told_below = false;  // a note repeats its contents, so hiding it loses nothing
  int width = 0;               // of the widest cell; set it to reserve more
  int cut = 0;                 // cells are cut to this width; 0: not cut
  bool is_shown = true;

  /// Returns "sectors/request A"; empty for a bar, which has no name.
  std::string name() const;
};

class Table {
 public:
  using Row = std::vector<Cell>;  // a cell for each column, hidden ones too

  Table(std::vector<Column> columns, const Page& page);

  std::vector<Column> columns;

  /// Widens columns so that the row's cells fit.
  void make_room_for(const Row& row);
  /// Returns the width of the shown columns with their gaps.
  int width() const;
  /// Hides one column of the highest rank and adds its name to `left_out`, once. Returns false if only columns of rank
  /// 0 are left.
  bool leave_one_out(std::vector<std::string>* left_out = nullptr);
  /// Hides columns until the table fits the page. If it still does not fit, cuts the cells of column `name`.
  void fit(size_t name, std::vector<std::string>& left_out);

  /// Returns a line of group headings, if any column has one, and a line of column headings.
  std::string headings() const;
  /// Returns one row as a line, without trailing blanks.
  std::string line(const Row& row) const;

  std::string markdown(const std::vector<Row>& rows) const;

 private:
  std::vector<size_t> shown() const;
  std::vector<int> widths() const;
  std::string groups() const;
  std::string line(const Row& row, bool is_cut) const;

  const Page page_;
  const Signs signs_;
};

/// Returns the note below a table without some of its columns.
std::string not_shown(const std::vector<std::string>& left_out);

}  // namespace text
