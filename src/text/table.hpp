// Tables: columns as wide as what stands in them, as many as fit on a page; as Markdown too.
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

/// Neighbours of the same group share a heading above their own. Where the page is narrow the columns with the highest rank
/// go first; rank 0 stays.
struct Column {
  std::string group{}, heading{};
  Align align = Align::right;
  int rank = 0;
  int gap = 2;                 // blanks before it
  std::string spoken_name{};   // where it has no heading
  bool is_told_below = false;  // where it has no room: nobody misses it
  int width = 0;               // of what stands in it; set it for what is at least as wide
  int cut = 0;                 // its cells are cut to so much; 0: they are not
  bool is_shown = true;

  /// "sectors/request A"; empty for a bar, which nobody misses by name.
  std::string name() const;
};

class Table {
 public:
  using Row = std::vector<Cell>;  // a cell for each column, be it shown or not

  Table(std::vector<Column> columns, const Page& page);

  std::vector<Column> columns;

  /// Every column is wide enough for its cell of the row.
  void make_room_for(const Row& row);
  /// Of what is shown, with the blanks before it.
  int width() const;
  /// Hides a column of the highest rank; false if only those of rank 0 are left. Its name is added to `left_out` if somebody
  /// misses it and it does not stand there yet.
  bool leave_one_out(std::vector<std::string>* left_out = nullptr);
  /// Leaves out as many as the page's width asks for; if even those of rank 0 do not fit, cells of the column at `name` are cut.
  void fit(size_t name, std::vector<std::string>& left_out);

  /// The headings of groups, if there are any, and those of columns: a line each.
  std::string headings() const;
  /// A row as a line, without blanks at its end.
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

}  // namespace text
