// Draws layouts of shared memory as text, and finds the parts and sentences for both drawings.
#include "lens/layout.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lens/drawing.hpp"
#include "lens/prices.hpp"

namespace lens {
namespace {

constexpr int DEFAULT_WIDTH = 100;  // of a page without limit
constexpr int BETWEEN_TABLES = 4;
constexpr size_t MOST_ROWS = 32;    // drawn, if no rows repeat the first ones
constexpr size_t MOST_NUMBERS = 8;  // in a sentence
constexpr auto LINE = static_cast<uint64_t>(LINE_BYTES);

bool is_box(const Layout& l) { return l.laid == Laid::loaded_box || l.laid == Laid::stored_box; }

std::string plural(uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string range(size_t first, size_t count) {
  return std::to_string(first) + (count < 2 ? "" : "-" + std::to_string(first + count - 1));
}

// Returns the distance if each row from `period` on repeats the row that is `period` rows before it, so many bytes further, in
// the same bank groups.
std::optional<uint64_t> distance_of_rows(const Layout& l, size_t period) {
  const uint64_t distance = l.place(period, 0) - l.place(0, 0);
  for (size_t row = period; row < l.rows; ++row) {
    for (size_t column = 0; column < l.columns; ++column) {
      if (l.place(row, column) - l.place(row - period, column) != distance) return std::nullopt;
    }
  }
  return distance % LINE == 0 ? std::optional(distance) : std::nullopt;
}

std::optional<uint64_t> distance_of_columns(const Layout& l, size_t period) {
  const uint64_t distance = l.place(0, period) - l.place(0, 0);
  for (size_t row = 0; row < l.rows; ++row) {
    for (size_t column = period; column < l.columns; ++column) {
      if (l.place(row, column) - l.place(row, column - period) != distance) return std::nullopt;
    }
  }
  return distance % LINE == 0 ? std::optional(distance) : std::nullopt;
}

// Returns "bytes 32, 64, 96".
std::string numbers(const std::vector<uint64_t>& all) {
  std::string text = all.size() == 1 ? "byte " : "bytes ";
  for (size_t i = 0; i < std::min(all.size(), MOST_NUMBERS); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(all[i]);
  return text + (all.size() > MOST_NUMBERS ? " and so on" : "");
}

std::string swizzle_of(const Layout& l) {
  return l.swizzle == 0 ? "no swizzle" : "a swizzle of " + plural(l.swizzle, "byte");
}

// Returns "byte 1024 of shared memory (byte 1008 of tile)".
std::string start_of(const Layout& l) {
  const std::string byte = "byte " + std::to_string(l.start) + " of shared memory";
  return l.start_name == byte ? byte : byte + " (" + l.start_name + ")";
}

std::string lines_of_matrix(const Layout& l) { return l.laid == Laid::a ? "row" : "column"; }

// Returns a sentence on the core matrices of wgmma, in the order of the table.
std::string core_matrices(const Layout& l) {
  std::vector<uint64_t> starts;
  for (size_t row = 0; row < l.rows; row += CORE_ROWS) {
    for (size_t column = 0; column < l.columns; ++column) starts.push_back(l.place(row, column));
  }
  const std::string down = l.across_k ? "k" : lines_of_matrix(l) + "s";
  return "One instruction reads " + std::to_string(l.rows / CORE_ROWS) + " x " +
         std::to_string(l.columns) + " core matrices of " + std::to_string(CORE_ROWS) + " " + down +
         " x " + plural(PIECE_BYTES, "byte") +
         ". In the table's order, row by row, they begin at " + numbers(starts) + ".";
}

// Returns "rows 8-63".
std::string several(const std::string& name, size_t first, size_t count) {
  return name + (name != "k" && count > 1 ? "s " : " ") + range(first, count);
}

// Returns "Not drawn: rows 8-63. Every 8 rows the pattern repeats, 1024 bytes further.".
std::string not_drawn(const std::string& name, size_t drawn, size_t count,
                      const std::optional<uint64_t>& further) {
  std::string sentence = "Not drawn: " + several(name, drawn, count - drawn) + ".";
  if (further)
    sentence += " Every " + std::to_string(drawn) + " " + name + (name == "k" ? "" : "s") +
                " the pattern repeats, " + plural(*further, "byte") + " further.";
  return sentence;
}

// Returns a sentence on the bank groups of a column's first pieces, in the column with the most wavefronts.
std::string collisions(const Layout& l, const DrawnPart& part) {
  const size_t rows = std::min(part.rows, CORE_ROWS);
  uint32_t wavefronts = 0;
  size_t groups = 0;
  for (size_t column = 0; column < part.columns; ++column) {
    WarpAddresses addresses{.lane = {}, .active = (1u << rows) - 1};
    std::set<size_t> touched;
    for (size_t row = 0; row < rows; ++row) {
      addresses.lane[row] = l.place(row, column);
      touched.insert(bank_group(l.place(row, column)));
    }
    const uint32_t cost = shared_cost(addresses, PIECE_BYTES, SharedAccess::matrix_load).wavefronts;
    if (cost <= wavefronts) continue;
    wavefronts = cost;
    groups = touched.size();
  }
  const std::string lie =
      " in " + (groups == rows ? std::to_string(groups) + " different bank groups"
                               : "only " + plural(groups, "bank group"));
  if (!is_box(l)) return "The " + std::to_string(rows) + " pieces of a core matrix lie" + lie + ".";
  return "The same piece of " + several("row", 0, rows) + " lies" + lie +
         ": one ldmatrix of these pieces takes " + plural(wavefronts, "wavefront") + ".";
}

// A table of text: labels, headings, cells, each column as wide as its widest cell.
class Table {
 public:
  Table(std::string title, std::vector<std::string> headings)
      : title_(std::move(title)), rows_{std::move(headings)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::vector<std::string> lines() const {
    std::vector<int> widths(rows_.front().size());
    for (const std::vector<std::string>& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], text::display_width(row[i]));
    }
    std::vector<std::string> lines{title_};
    for (const std::vector<std::string>& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) line += text::pad_left(row[i], widths[i] + 1);
      lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    }
    return lines;
  }

 private:
  std::string title_;
  std::vector<std::vector<std::string>> rows_;
};

int width_of(const std::vector<std::string>& lines) {
  int width = 0;
  for (const std::string& line : lines) width = std::max(width, text::display_width(line));
  return width;
}

// `by_group`: cells have bank groups, else bytes. `with_ranges`: a heading has a column's first and last element.
Table table_of_rows(const Layout& l, const DrawnPart& part, bool by_group, bool with_ranges) {
  std::vector<std::string> headings{name_of_row(l)};
  if (by_group) headings.emplace_back("line at");
  for (size_t column = 0; column < part.columns; ++column) {
    const std::string label = label_of_column(l, column);
    headings.push_back((column == 0 ? " " + name_of_column(l) + " " : "") +
                       (with_ranges ? label : label.substr(0, label.find('-'))));
  }
  Table table(by_group ? "bank group of each piece" : "first byte of each piece", headings);
  for (size_t row = 0; row < part.rows; ++row) {
    std::vector<std::string> cells{std::to_string(row)};
    if (by_group) cells.push_back(std::to_string(l.place(row, 0) / LINE * LINE));
    for (size_t column = 0; column < part.columns; ++column) {
      const uint64_t place = l.place(row, column);
      cells.push_back(std::to_string(by_group ? bank_group(place) : place));
    }
    table.add(std::move(cells));
  }
  return table;
}

// Returns the lines of the table with the most details that the page has room for.
std::vector<std::string> lines_of_rows(const Layout& l, const DrawnPart& part, int width) {
  const bool by_group = has_a_line_for_each_row(l, part);
  std::vector<std::string> lines;
  for (const auto& [groups, ranges] :
       {std::pair(by_group, true), std::pair(true, true), std::pair(true, false)}) {
    lines = table_of_rows(l, part, groups, ranges).lines();
    if (width_of(lines) <= width) break;
  }
  return lines;
}

Table table_of_lines(const Layout& l, const DrawnPart& part, bool unicode) {
  std::vector<std::string> headings{"", "line at"};
  for (size_t group = 0; group < BANK_GROUPS; ++group)
    headings.push_back((group == 0 ? " group " : "") + std::to_string(group));
  Table table(name_of_row(l) + ".piece in each bank group", headings);
  const auto cell = [&](const LineOfPieces::Seat& seat) -> std::string {
    if (seat.pieces == 0) return unicode ? "·" : ".";
    if (seat.pieces > 1) return (unicode ? "×" : "x") + std::to_string(seat.pieces);
    return std::to_string(seat.row) + "." + std::to_string(seat.column);
  };
  std::optional<uint64_t> before;
  for (const LineOfPieces& line : lines_of_pieces(l, part)) {
    const bool after_gap = before && line.first_byte != *before + LINE;
    std::vector<std::string> cells{after_gap ? (unicode ? "⋮" : ":") : "",
                                   std::to_string(line.first_byte)};
    for (const LineOfPieces::Seat& seat : line.seats) cells.push_back(cell(seat));
    table.add(std::move(cells));
    before = line.first_byte;
  }
  return table;
}

}  // namespace

DrawnPart drawn_part(const Layout& l) {
  DrawnPart part{.rows = std::min(l.rows, MOST_ROWS), .columns = std::min(l.columns, BANK_GROUPS)};
  if (l.columns > BANK_GROUPS) part.columns_further = distance_of_columns(l, BANK_GROUPS);
  for (size_t period = CORE_ROWS; period <= MOST_ROWS && period < l.rows; period *= 2) {
    part.rows_further = distance_of_rows(l, period);
    if (!part.rows_further) continue;
    part.rows = period;
    break;
  }
  return part;
}

std::vector<LineOfPieces> lines_of_pieces(const Layout& l, const DrawnPart& part) {
  std::map<uint64_t, LineOfPieces> lines;
  for (size_t row = 0; row < part.rows; ++row) {
    for (size_t column = 0; column < part.columns; ++column) {
      const uint64_t place = l.place(row, column);
      LineOfPieces& line = lines[place / LINE];
      line.first_byte = place / LINE * LINE;
      LineOfPieces::Seat& seat = line.seats[bank_group(place)];
      if (seat.pieces++ == 0) seat = {1, row, column};
    }
  }
  std::vector<LineOfPieces> all;
  for (auto& [number, line] : lines) all.push_back(line);
  return all;
}

bool has_a_line_for_each_row(const Layout& l, const DrawnPart& part) {
  for (size_t row = 0; row < part.rows; ++row) {
    for (size_t column = 1; column < part.columns; ++column) {
      if (l.place(row, column) / LINE != l.place(row, 0) / LINE) return false;
    }
  }
  return true;
}

std::string name_of_row(const Layout& l) {
  if (is_box(l)) return "row";
  return l.across_k ? "k" : lines_of_matrix(l);
}

std::string name_of_column(const Layout& l) {
  if (is_box(l)) return "piece";
  return l.across_k ? lines_of_matrix(l) : "k";
}

std::string label_of_column(const Layout& l, size_t column) {
  if (is_box(l)) return std::to_string(column);
  const size_t elements = PIECE_BYTES / l.element_bytes;
  return range(column * elements, elements);
}

std::vector<std::string> introduction_to(const Layout& l) {
  if (is_box(l)) {
    const std::string size =
        plural(l.rows, "row") + " of " + plural(l.columns * PIECE_BYTES, "byte") + " (" +
        plural(l.columns, "piece") + " of " + plural(PIECE_BYTES, "byte") + ")";
    const bool is_load = l.laid == Laid::loaded_box;
    return {"The copy " + std::string(is_load ? "puts" : "takes") + " a box of " + size + " " +
            (is_load ? "to" : "from") + " " + start_of(l) + ", with " + swizzle_of(l) + "."};
  }
  const size_t elements = PIECE_BYTES / l.element_bytes;
  const size_t lines = l.across_k ? l.columns * elements : l.rows;
  const size_t k = l.across_k ? l.rows : l.columns * elements;
  const std::string name = l.laid == Laid::a ? "A" : "B";
  const std::string size = l.laid == Laid::a ? std::to_string(lines) + " x " + std::to_string(k)
                                             : std::to_string(k) + " x " + std::to_string(lines);
  return {name + ", " + size + ", contiguous " + (l.across_k ? "across" : "in") +
          " k. Its descriptor: start " + start_of(l) + ", leading " + std::to_string(l.leading) +
          ", stride " + std::to_string(l.stride) +
          (l.base == 0 ? "" : ", base " + std::to_string(l.base)) + ", " + swizzle_of(l) + "."};
}

std::vector<std::string> remarks_on(const Layout& l, const DrawnPart& part) {
  std::vector<std::string> remarks;
  const std::vector<LineOfPieces> lines = lines_of_pieces(l, part);
  const bool overlap = std::ranges::any_of(lines, [](const LineOfPieces& line) {
    return std::ranges::any_of(line.seats, [](const auto& seat) { return seat.pieces > 1; });
  });
  if (overlap) remarks.emplace_back("Pieces overlap: several lie in one place.");
  if (part.rows < l.rows)
    remarks.push_back(not_drawn(name_of_row(l), part.rows, l.rows, part.rows_further));
  if (part.columns < l.columns) {
    const size_t each = is_box(l) ? 1 : PIECE_BYTES / l.element_bytes;
    remarks.push_back(
        not_drawn(name_of_column(l), part.columns * each, l.columns * each, part.columns_further));
  }
  if (!is_box(l)) remarks.push_back(core_matrices(l));
  remarks.push_back(collisions(l, part));
  if (!l.later_starts.empty())
    remarks.push_back("The same warp's later executions of this line start at " +
                      numbers(l.later_starts) + ".");
  return remarks;
}

std::string layout(const Layout& l, const text::Page& page) {
  const int width = page.width == 0 ? DEFAULT_WIDTH : page.width;
  const std::string ellipsis = page.unicode ? "…" : "~";
  std::string text;
  const auto say = [&](const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) text += text::wrap(sentence, width, 2) + "\n";
  };
  const std::string place = place_of(l.kernel, l.file, l.line, width, ellipsis);
  text += (page.color ? "\033[1m" + place + "\033[0m" : place) + "\n";
  text += text::shortened(l.instruction, width, ellipsis) + "\n";
  say(introduction_to(l));
  say({"A bank group is 4 of the 32 banks: 16 bytes of each line of 128."});
  text += "\n";

  const DrawnPart part = drawn_part(l);
  const std::vector<std::string> matrix = lines_of_rows(l, part, width);
  const std::vector<std::string> memory = table_of_lines(l, part, page.unicode).lines();
  const int left = width_of(matrix) + BETWEEN_TABLES;
  const bool is_beside = left + width_of(memory) <= width;
  for (size_t i = 0; i < (is_beside ? std::max(matrix.size(), memory.size()) : matrix.size());
       ++i) {
    std::string line = i < matrix.size() ? matrix[i] : "";
    if (is_beside && i < memory.size()) line = text::pad_right(line, left) + memory[i];
    text += line + "\n";
  }
  text += "\n";
  if (!is_beside) {
    for (const std::string& line : memory) text += line + "\n";
    text += "\n";
  }
  say(remarks_on(l, part));
  return text;
}

}  // namespace lens
