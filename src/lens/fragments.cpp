#include "lens/fragments.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lens {
namespace {

// A matrix as a table: one cell for each register of each lane.
struct Grid {
  std::string title;                       // "A, 16 x 16"
  std::string row_name;                    // "row", "k"
  std::vector<std::string> rows, columns;  // their labels
  std::vector<std::vector<std::string>> cells;
};

// Returns "0-1" for the first register if each holds two elements, "0" if each holds one.
std::string elements_of(size_t i, size_t per_register) {
  const std::string first = std::to_string(i * per_register);
  return per_register == 1 ? first : first + "-" + std::to_string((i + 1) * per_register - 1);
}

std::vector<std::string> numbers(size_t count) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

std::vector<std::string> labels_of(size_t elements, size_t per_register) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < elements / per_register; ++i)
    labels.push_back(elements_of(i, per_register));
  return labels;
}

std::vector<std::string> k_labels(const MatrixProduct& p) {
  return labels_of(p.k, p.per_register());
}

std::string cell(size_t lane, char matrix, size_t reg) {
  return std::to_string(lane) + matrix + std::to_string(reg);
}

std::string size_of(size_t rows, size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

Grid empty(std::string title, std::string row_name, std::vector<std::string> rows,
           std::vector<std::string> columns) {
  Grid grid{std::move(title), std::move(row_name), std::move(rows), std::move(columns), {}};
  grid.cells.assign(grid.rows.size(), std::vector<std::string>(grid.columns.size()));
  return grid;
}

Grid grid_of_a(const MatrixProduct& p) {
  Grid grid =
      empty("A, " + size_of(p.m, p.k) + ", k along the row", "row", numbers(p.m), k_labels(p));
  for (size_t reg = 0; reg < p.m * p.k / p.per_register() / LANES; ++reg) {
    for (size_t lane = 0; lane < LANES; ++lane) {
      const Place place = place_in_a(lane, reg, 0, p.per_register());
      grid.cells[place.row][place.column / p.per_register()] = cell(lane, 'a', reg);
    }
  }
  return grid;
}

Grid grid_of_b(const MatrixProduct& p) {
  Grid grid =
      empty("B, " + size_of(p.k, p.n) + ", k down the column", "k", k_labels(p), numbers(p.n));
  for (size_t reg = 0; reg < p.k * p.n / p.per_register() / LANES; ++reg) {
    for (size_t lane = 0; lane < LANES; ++lane) {
      const Place place = place_in_b(lane, reg, 0, p.per_register());
      grid.cells[place.row / p.per_register()][place.column] = cell(lane, 'b', reg);
    }
  }
  return grid;
}

Grid grid_of_c(const MatrixProduct& p) {
  const size_t per = p.sums_per_register();
  Grid grid = empty("C and D, " + size_of(p.m, p.n), "row", numbers(p.m), labels_of(p.n, per));
  for (size_t reg = 0; reg < p.m * p.n / per / LANES; ++reg) {
    for (size_t lane = 0; lane < LANES; ++lane) {
      const Place place = place_in_c(lane, reg, 0, per);
      grid.cells[place.row][place.column / per] = cell(lane, 'c', reg);
    }
  }
  return grid;
}

std::vector<std::string> lines_of(const Grid& grid) {
  constexpr int LABEL = 10, CELL = 6;  // columns of text
  std::vector<std::string> lines{grid.title};
  const auto line = [&](const std::string& label, const std::vector<std::string>& cells) {
    std::string text = text::pad_left(label, LABEL);
    for (const std::string& one : cells) text += text::pad_left(one, CELL);
    lines.push_back(text);
  };
  line("", grid.columns);
  for (size_t i = 0; i < grid.rows.size(); ++i) {
    line((i == 0 ? grid.row_name + " " : "") + text::pad_left(grid.rows[i], 5), grid.cells[i]);
  }
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string beside(const std::vector<std::string>& left, const std::vector<std::string>& right,
                   int width) {
  std::string text;
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = i < left.size() ? left[i] : "";
    if (i < right.size()) line = text::pad_right(line, width) + right[i];
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string contents_of_registers(const MatrixProduct& p) {
  if (p.per_register() == 1) return "A register holds one element.";
  const bool are_two = p.per_register() == 2;
  std::string text = std::string("A register of A or B holds ") + (are_two ? "two" : "four") +
                     " elements that are neighbours along k; its " +
                     (are_two ? "lower half" : "lowest byte") + " holds the first.";
  if (p.sums_per_register() == 2) text += " A register of C or D holds two neighbours in a row.";
  return text;
}

std::string fragments(const MatrixProduct& p, const text::Page& page) {
  constexpr int BESIDE = 110, LEFT = 62;  // columns of text
  std::string words = p.instruction + ", " + std::to_string(p.warps) +
                      (p.warps == 1 ? " time" : " times") + " in " + p.kernel;
  if (!p.file.empty()) {
    words += ", " + p.file.substr(p.file.rfind('/') + 1) + ":" + std::to_string(p.line);
  }
  std::string text = text::wrap(words, page.width, 2) + "\n";
  text +=
      text::wrap("D = A B + C. A cell names a lane and its register: 12a3 is a[3] of lane 12. " +
                     contents_of_registers(p),
                 page.width, 0) +
      "\n\n";
  const std::vector<std::string> a = lines_of(grid_of_a(p)), b = lines_of(grid_of_b(p)),
                                 c = lines_of(grid_of_c(p));
  if (page.width == 0 || page.width >= BESIDE) {  // as on paper: B above C, A left of it
    return text + beside({}, b, LEFT) + "\n" + beside(a, c, LEFT);
  }
  return text + text_of(a) + "\n" + text_of(b) + "\n" + text_of(c);
}

}  // namespace lens
