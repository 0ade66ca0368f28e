#include "lens/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "lens/drawing.hpp"
#include "lens/fragments.hpp"
#include "lens/layout.hpp"
#include "lens/timeline.hpp"
#include "text/foreign.hpp"

namespace lens {
namespace {

// Lengths, in pixels of a figure shown at its own size.
constexpr int WIDTH = 1000, MARGIN = 24;
constexpr int SEAT = 18, SEAT_PITCH = 22;  // a word of memory, or a lane
constexpr int SECTOR_GAP = 10;
constexpr int WORDS_LEFT = 166;
constexpr int WORDS_RIGHT = WORDS_LEFT + 32 * SEAT_PITCH + 3 * SECTOR_GAP;

// Colours are plain properties: not every program that shows slides knows variables.
constexpr std::string_view STYLE = R"(
text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; }
.heading { font-size: 20px; font-weight: 600; }
.price { font-size: 17px; font-weight: 600; }
.small { font-size: 11px; }
.number { font-size: 10px; text-anchor: middle; fill: #10151a; }
.middle { text-anchor: middle; }
.right { text-anchor: end; }
.ink { fill: #1b1f24; }
.soft { fill: #57606a; }
.bad { fill: #c4122f; }
.hollow { fill: none; stroke: #8c959f; }
.bus { fill: none; stroke: #57606a; stroke-width: 1.5; }
.empty { fill: none; stroke: #d0d7de; stroke-dasharray: 2 3; }
.collides { stroke: #c4122f; stroke-width: 2.5; }
.touch { fill: none; stroke-width: 1.2; opacity: 0.75; }
@media (prefers-color-scheme: dark) {
  .ink { fill: #e6edf3; }
  .soft { fill: #9da7b3; }
  .bad { fill: #ff7b8a; }
  .hollow { stroke: #7d8590; }
  .bus { stroke: #b1bac4; }
  .empty { stroke: #3d444d; }
  .collides { stroke: #ff5c70; }
}
)";

// Returns a colour from red for lane 0 through the rainbow to violet for lane 31, readable under dark figures.
std::string color_of(size_t lane) {
  const double hue = 300.0 * static_cast<double>(lane) / (LANES - 1);
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue / 30, 12.0);
    const double value =
        0.64 - 0.30 * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0);  // lightness, chroma
    return static_cast<int>(std::lround(255 * value));
  };
  std::ostringstream text;
  text << "rgb(" << channel(0) << ',' << channel(8) << ',' << channel(4) << ')';
  return text.str();
}

size_t lowest(uint32_t lanes) {
  size_t lane = 0;
  while ((lanes >> lane & 1u) == 0) ++lane;
  return lane;
}

int word_left(size_t word) {
  return WORDS_LEFT + static_cast<int>(word) * SEAT_PITCH +
         static_cast<int>(word / WORDS_OF_A_SECTOR) * SECTOR_GAP;
}
int word_middle(size_t word) { return word_left(word) + SEAT / 2; }

/// Elements from the top down; `y` is where the next one begins.
class Figure {
 public:
  int y = MARGIN;

  void write(int x, int baseline, std::string_view classes, std::string_view text) {
    body_ << "<text x=\"" << x << "\" y=\"" << baseline << "\" class=\"" << classes << "\">"
          << text::in_markup(text) << "</text>\n";
  }
  void rectangle(int x, int top, int width, int height, int radius, std::string_view classes,
                 const std::string& fill = "") {
    body_ << "<rect x=\"" << x << "\" y=\"" << top << "\" width=\"" << width << "\" height=\""
          << height << "\" rx=\"" << radius << '"';
    if (!classes.empty()) body_ << " class=\"" << classes << '"';
    if (!fill.empty()) body_ << " fill=\"" << fill << '"';
    body_ << "/>\n";
  }
  void curve(const std::string& path, const std::string& color) {
    body_ << "<path d=\"" << path << "\" class=\"touch\" stroke=\"" << color << "\"/>\n";
  }

  // Breaks the text into lines of at most `characters` characters.
  void paragraph(std::string_view classes, std::string_view text, int line_height,
                 size_t characters) {
    while (!text.empty()) {
      size_t end = text.size();
      if (end > characters) {
        end = text.rfind(' ', characters);
        if (end == text.npos || end == 0) end = characters;
      }
      y += line_height;
      write(MARGIN, y, classes, text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
    }
  }

  void heading(const Request& r) {
    paragraph("heading ink", place_of(r, 0, ""), 24, 84);
    paragraph("soft", origin_of(r), 20, 140);
    y += 14;
  }

  std::string document(std::string_view title, std::string_view description) const {
    std::ostringstream text;
    const int height = y + MARGIN;
    text << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << WIDTH << ' ' << height
         << "\" width=\"" << WIDTH << "\" height=\"" << height << "\" role=\"img\">\n"
         << "<title>" << text::in_markup(title) << "</title>\n"
         << "<desc>" << text::in_markup(description) << "</desc>\n"
         << "<style>" << STYLE << "</style>\n"
         << body_.str() << "</svg>\n";
    return text.str();
  }

 private:
  std::ostringstream body_;
};

void draw_lanes(Figure& figure, uint32_t active) {
  figure.write(WORDS_LEFT - 12, figure.y + 14, "right ink", "lanes");
  for (size_t lane = 0; lane < WORDS; ++lane) {
    const bool is_active = (active >> lane & 1u) != 0;
    figure.rectangle(word_left(lane), figure.y, SEAT, SEAT, 4, is_active ? "" : "empty",
                     is_active ? color_of(lane) : "");
    if (is_active) figure.write(word_middle(lane), figure.y + 13, "number", std::to_string(lane));
  }
  figure.y += SEAT;
}

void draw_word(Figure& figure, const Word& word, size_t i, int top, int height) {
  const int left = word_left(i);
  if (word.lanes == 0) {
    figure.rectangle(left, top, SEAT, height, 3, word.fetched ? "hollow" : "empty");
    return;
  }
  const char* const classes = word.collides ? "collides" : "";
  if (word.bytes == 0xf) {
    figure.rectangle(left, top, SEAT, height, 3, classes, color_of(lowest(word.lanes)));
    return;
  }
  // A word used in part: only the places of the used bytes are filled.
  figure.rectangle(left, top, SEAT, height, 3, "hollow");
  for (int byte = 0; byte < 4; ++byte) {
    if ((word.bytes >> byte & 1u) == 0) continue;
    figure.rectangle(left + 1 + byte * 4, top + 1, 4, height - 2, 0, classes,
                     color_of(lowest(word.lanes)));
  }
}

// Draws a curve from each lane to the middle of its words in the line.
void draw_touches(Figure& figure, const Line& line, int from, int to) {
  for (size_t lane = 0; lane < WORDS; ++lane) {
    if ((line.lanes >> lane & 1u) == 0) continue;
    std::optional<size_t> first;
    size_t last = 0;
    for (size_t i = 0; i < WORDS; ++i) {
      if ((line.words[i].lanes >> lane & 1u) == 0) continue;
      if (!first) first = i;
      last = i;
    }
    std::ostringstream path;
    path << 'M' << word_middle(lane) << ' ' << from << 'L'
         << (word_middle(first.value_or(0)) + word_middle(last)) / 2 << ' ' << to;
    figure.curve(path.str(), color_of(lane));
  }
}

void draw_banks(Figure& figure) {
  figure.write(WORDS_LEFT - 12, figure.y + 10, "right soft", "banks");
  for (size_t bank = 0; bank < WORDS; ++bank)
    figure.write(word_middle(bank), figure.y + 10, "middle small soft", std::to_string(bank));
  figure.y += 18;
}

void draw_phase(Figure& figure, const Phase& phase, uint32_t active, bool shared) {
  const bool many = phase.lines.size() > 10;
  const int height = many ? 10 : SEAT;
  const int pitch = many ? 17 : 28;
  draw_lanes(figure, active);
  const int lanes_end = figure.y + 1;
  figure.y += many ? 64 : 44;
  const int top = figure.y;
  for (size_t i = phase.lines.size(); i-- > 0;)
    draw_touches(figure, phase.lines[i], lanes_end, top + static_cast<int>(i) * pitch);
  for (const Line& line : phase.lines) {
    const int baseline = figure.y + height / 2 + 4;
    figure.write(WORDS_LEFT - 12, baseline, many ? "right small ink" : "right ink",
                 (line.after_gap ? "⋮ " : "") + std::string(shared ? "row " : "line ") +
                     std::to_string(line.number) + ", byte " + std::to_string(line.offset));
    for (size_t i = 0; i < WORDS; ++i) {
      if (!shared && i % WORDS_OF_A_SECTOR == 0) {
        const int width = static_cast<int>(WORDS_OF_A_SECTOR) * SEAT_PITCH + 2;
        figure.rectangle(word_left(i) - 3, figure.y - 3, width, height + 6, 5,
                         line.words[i].fetched ? "bus" : "empty");
      }
      if (shared || line.words[i].fetched) draw_word(figure, line.words[i], i, figure.y, height);
    }
    if (line.lanes != 0) {
      const std::string list = lane_list(line.lanes);
      figure.write(WORDS_RIGHT + 4, baseline, "small soft",
                   list.size() <= 14 ? list : list.substr(0, 13) + "…");
    }
    figure.y += pitch;
  }
  if (shared) {
    draw_banks(figure);
    figure.write(WORDS_LEFT - 12, figure.y + 12, "right soft", "words in bank");
    for (size_t bank = 0; bank < WORDS; ++bank) {
      const uint32_t words = phase.words_in_bank[bank];
      figure.write(word_middle(bank), figure.y + 12, words > 1 ? "middle bad" : "middle soft",
                   words == 0 ? "·" : std::to_string(words));
    }
    figure.y += 24;
  }
}

void draw_legend(Figure& figure, const Request& r) {
  const bool shared = r.path == Path::shared;
  int x = MARGIN;
  figure.y += 12;
  const auto explain = [&](std::string_view classes, const std::string& fill, std::string_view text,
                           int width) {
    figure.rectangle(x, figure.y, SEAT, SEAT, 3, classes, fill);
    figure.write(x + SEAT + 8, figure.y + 13, "soft", text);
    x += width;
  };
  explain("", color_of(14), "4 bytes used", 150);
  if (shared) {
    explain("collides", color_of(14), "waits for another word of its bank", 290);
    explain("empty", "", "not asked for", 150);
  } else {
    explain("hollow", "",
            r.action == Action::load ? "4 bytes fetched in vain" : "4 bytes that no lane uses",
            225);
    explain("empty", "", "not touched", 130);
    figure.write(x, figure.y + 13, "soft", "eight of them: a sector");
  }
  figure.y += SEAT;
}

// --- the matrix and its ribbon of memory ----------------------------------------------------------

constexpr int64_t MOST_ROWS = 8, FEWEST_ROWS = 4;  // rows of the matrix
constexpr int64_t MOST_COLUMNS = 56;
constexpr int CELL = 13, CELL_PITCH = 15, MATRIX_LEFT = MARGIN + 70;

const Walk::Element* element_at(const Walk& walk, int64_t row, int64_t column) {
  for (const Walk::Element& e : walk.elements) {
    if (e.row == row && e.column == column) return &e;
  }
  return nullptr;
}

void draw_matrix(Figure& figure, const Walk& walk, int64_t rows) {
  int64_t first_column = walk.columns;
  for (const Walk::Element& e : walk.elements) first_column = std::min(first_column, e.column);
  first_column = first_column / 8 * 8;
  const int64_t columns = std::min(MOST_COLUMNS, walk.columns - first_column);
  figure.y += 14;
  figure.write(MATRIX_LEFT, figure.y, "small soft",
               "columns " + std::to_string(first_column) + " to " +
                   std::to_string(first_column + columns - 1) + " of " +
                   std::to_string(walk.columns));
  figure.y += 8;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = walk.first_row + i;
    figure.write(MATRIX_LEFT - 10, figure.y + 11, "right small ink", "row " + std::to_string(row));
    for (int64_t c = 0; c < columns; ++c) {
      const Walk::Element* const e = element_at(walk, row, first_column + c);
      figure.rectangle(MATRIX_LEFT + static_cast<int>(c) * CELL_PITCH, figure.y, CELL, CELL, 2,
                       e == nullptr ? "hollow" : "",
                       e == nullptr ? "" : color_of(lowest(e->lanes)));
    }
    if (first_column + columns < walk.columns)
      figure.write(MATRIX_LEFT + static_cast<int>(columns) * CELL_PITCH + 2, figure.y + 11, "soft",
                   "…");
    figure.y += CELL_PITCH + 3;
  }
  if (walk.last_row >= walk.first_row + rows) {
    figure.write(MATRIX_LEFT, figure.y + 12, "small soft",
                 "⋮ up to row " + std::to_string(walk.last_row));
    figure.y += 18;
  }
}

void draw_memory(Figure& figure, const Walk& walk, int64_t rows) {
  constexpr int LEFT = MARGIN, HEIGHT = 26, ARCS = 40;
  const int width = WIDTH - 2 * MARGIN - 20;
  const int row_width = width / static_cast<int>(rows);
  const double column_width = static_cast<double>(row_width) / static_cast<double>(walk.columns);
  figure.y += ARCS;
  for (int64_t i = 0; i < rows; ++i) {
    const int left = LEFT + static_cast<int>(i) * row_width;
    figure.rectangle(left, figure.y, row_width, HEIGHT, 0, "bus");
    figure.write(left + 4, figure.y + HEIGHT + 15, "small soft",
                 "row " + std::to_string(walk.first_row + i));
  }
  if (walk.last_row >= walk.first_row + rows)
    figure.write(LEFT + static_cast<int>(rows) * row_width + 6, figure.y + 18, "soft", "…");
  int before = -1;
  for (const Walk::Element& e : walk.elements) {
    if (e.row >= walk.first_row + rows) continue;
    const double place = static_cast<double>(e.row - walk.first_row) * row_width +
                         static_cast<double>(e.column) * column_width;
    const int x = LEFT + static_cast<int>(place);
    const int mark = std::clamp(static_cast<int>(column_width), 3, 14);
    const std::string color = color_of(lowest(e.lanes));
    figure.rectangle(x, figure.y + 2, mark, HEIGHT - 4, 1, "", color);
    if (before >= 0) {
      const int from = before + mark / 2, to = x + mark / 2;
      const int lift = std::min(ARCS, 8 + (to - from) / 2) * 2;
      std::ostringstream arc;
      arc << 'M' << from << ' ' << figure.y - 2 << 'Q' << (from + to) / 2 << ' '
          << figure.y - 2 - lift / 2 << ' ' << to << ' ' << figure.y - 2;
      figure.curve(arc.str(), color);
    }
    before = x;
  }
  figure.y += HEIGHT + 24;
}

// --- the fragments of a product on tensor cores, and layouts of shared memory --------------------

constexpr int ELEMENT = 26, ELEMENT_GAP = 2, ELEMENT_PITCH = ELEMENT + ELEMENT_GAP;
constexpr int FRAGMENT_LEFT = MARGIN + 40;

// A matrix of elements whose upper left corner is (left, top).
struct ElementGrid {
  Figure& figure;
  int left, top;
  int width = ELEMENT;  // of an element

  void title(const std::string& text) const { figure.write(left, top - 22, "ink", text); }
  void label_row(size_t row, const std::string& label) const {
    figure.write(left - 8, y_of(row) + 17, "right small soft", label);
  }
  void name_columns(const std::string& name) const {
    figure.write(left - 8, top - 6, "right small soft", name);
  }
  void label_column(size_t column, const std::string& label) const {
    figure.write(x_of(column) + width / 2, top - 6, "middle small soft", label);
  }
  void number_rows(size_t rows) const {
    for (size_t row = 0; row < rows; ++row) label_row(row, std::to_string(row));
  }
  void number_columns(size_t columns) const {
    for (size_t column = 0; column < columns; ++column)
      label_column(column, std::to_string(column));
  }
  void element(const Place& place, const std::string& color, const std::string& above,
               const std::string& below) const {
    const int x = x_of(place.column), y = y_of(place.row);
    figure.rectangle(x, y, width, ELEMENT, 4, "", color);
    figure.write(x + width / 2, y + 12, "number", above);
    figure.write(x + width / 2, y + 22, "number", below);
  }
  void empty(const Place& place) const {
    figure.rectangle(x_of(place.column), y_of(place.row), width, ELEMENT, 4, "empty");
  }
  int x_of(size_t column) const { return left + static_cast<int>(column) * (width + ELEMENT_GAP); }
  int y_of(size_t row) const { return top + static_cast<int>(row) * ELEMENT_PITCH; }
};

// Draws the matrix's rows, and beside them the lines of shared memory. A column of the matrix has one colour in both.
void draw_layout(Figure& figure, const Layout& l) {
  constexpr int PIECE = 40, LINES_LEFT = MARGIN + 530;
  const DrawnPart part = drawn_part(l);
  const std::vector<LineOfPieces> lines = lines_of_pieces(l, part);
  const auto color = [&](size_t column) {
    return color_of(part.columns < 2 ? 0 : column * (LANES - 1) / (part.columns - 1));
  };
  const int top = figure.y + 64;
  const ElementGrid matrix{figure, MARGIN + 80, top, PIECE};
  const ElementGrid memory{figure, LINES_LEFT + 80, top, PIECE};
  matrix.title("in a cell: bank group above, byte below");
  matrix.name_columns(name_of_column(l));
  memory.title("lines of shared memory: " + name_of_row(l) + " above, piece below");
  memory.name_columns("bank group");
  for (size_t column = 0; column < part.columns; ++column)
    matrix.label_column(column, label_of_column(l, column));
  for (size_t row = 0; row < part.rows; ++row) {
    matrix.label_row(row, name_of_row(l) + " " + std::to_string(row));
    for (size_t column = 0; column < part.columns; ++column) {
      const uint64_t place = l.place(row, column);
      matrix.element({row, column}, color(column), std::to_string(bank_group(place)),
                     std::to_string(place));
    }
  }
  for (size_t group = 0; group < BANK_GROUPS; ++group)
    memory.label_column(group, std::to_string(group));
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool after_gap = i > 0 && lines[i].first_byte != lines[i - 1].first_byte + LINE_BYTES;
    memory.label_row(i, (after_gap ? "⋮ byte " : "byte ") + std::to_string(lines[i].first_byte));
    for (size_t group = 0; group < BANK_GROUPS; ++group) {
      const LineOfPieces::Seat& seat = lines[i].seats[group];
      if (seat.pieces == 0) {
        memory.empty({i, group});
      } else {
        memory.element({i, group}, color(seat.column),
                       std::to_string(seat.row) + (seat.pieces > 1 ? ", ..." : ""),
                       std::to_string(seat.column));
      }
    }
  }
  figure.y = top + static_cast<int>(std::max(part.rows, lines.size())) * ELEMENT_PITCH + 6;
  for (const std::string& sentence : remarks_on(l, part))
    figure.paragraph("ink", sentence, 20, 120);
}

template <typename Each>
void for_each_element(size_t elements, size_t per_register, Each&& each) {
  for (size_t reg = 0; reg < elements / per_register / LANES; ++reg) {
    for (size_t lane = 0; lane < LANES; ++lane) {
      for (size_t part = 0; part < per_register; ++part) each(lane, reg, part);
    }
  }
}

}  // namespace

std::string svg_fragments(const MatrixProduct& p) {
  Figure figure;
  const std::string where =
      p.file.empty() ? "" : p.file.substr(p.file.rfind('/') + 1) + ":" + std::to_string(p.line);
  const std::string title = "Fragments of " + p.format + ", m" + std::to_string(p.m) + "n" +
                            std::to_string(p.n) + "k" + std::to_string(p.k);
  figure.paragraph("heading ink", title + (where.empty() ? "" : ", " + where), 24, 84);
  figure.paragraph("soft", p.instruction + " in " + p.kernel, 20, 140);
  const std::string words =
      "An element: its lane above, the lane's register below. " + contents_of_registers(p);
  figure.paragraph("ink", words, 20, 120);

  const int per = ELEMENT_PITCH;
  const int c_left = FRAGMENT_LEFT + static_cast<int>(p.k) * per + 60;
  const int b_top = figure.y + 48;
  const int a_top = b_top + static_cast<int>(p.k) * per + 56;
  const ElementGrid a{figure, FRAGMENT_LEFT, a_top}, b{figure, c_left, b_top},
      c{figure, c_left, a_top};
  a.title("A");
  b.title("B");
  c.title("C and D");
  a.number_rows(p.m);
  a.number_columns(p.k);
  b.number_rows(p.k);
  b.number_columns(p.n);
  c.number_rows(p.m);
  c.number_columns(p.n);
  const auto element = [](const ElementGrid& grid, const Place& place, size_t lane,
                          const std::string& name, size_t reg) {
    grid.element(place, color_of(lane), std::to_string(lane), name + std::to_string(reg));
  };
  for_each_element(p.m * p.k, p.per_register(), [&](size_t lane, size_t reg, size_t part) {
    element(a, place_in_a(lane, reg, part, p.per_register()), lane, "a", reg);
  });
  for_each_element(p.k * p.n, p.per_register(), [&](size_t lane, size_t reg, size_t part) {
    element(b, place_in_b(lane, reg, part, p.per_register()), lane, "b", reg);
  });
  for_each_element(p.m * p.n, p.sums_per_register(), [&](size_t lane, size_t reg, size_t part) {
    element(c, place_in_c(lane, reg, part, p.sums_per_register()), lane, "c", reg);
  });
  figure.y = a_top + static_cast<int>(p.m) * per;
  return figure.document(title, p.instruction + ". " + words);
}

std::string svg_layouts(const std::vector<Layout>& layouts) {
  Figure figure;
  std::string description;
  for (const Layout& l : layouts) {
    if (&l != &layouts.front()) figure.y += 30;
    figure.paragraph("heading ink", place_of(l.kernel, l.file, l.line, 0, ""), 24, 84);
    figure.paragraph("soft", l.instruction, 20, 140);
    for (const std::string& sentence : introduction_to(l)) {
      figure.paragraph("ink", sentence, 20, 120);
      description += (description.empty() ? "" : " ") + sentence;
    }
    draw_layout(figure, l);
  }
  return figure.document("Places of 16-byte pieces in shared memory", description);
}

std::string svg(const std::vector<Request>& steps) {
  Figure figure;
  std::string description;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Request& r = steps[i];
    if (i > 0) figure.y += 22;
    figure.heading(r);
    const std::vector<Phase> phases = phases_of(r);
    for (size_t p = 0; p < phases.size(); ++p) {
      if (phases.size() > 1) {
        figure.write(MARGIN, figure.y + 13, "soft",
                     "phase " + std::to_string(p + 1) + " of " + std::to_string(phases.size()));
      }
      draw_phase(figure, phases[p], r.active & phases[p].lanes, r.path == Path::shared);
    }
    figure.paragraph("price ink", price_of(r), 24, 105);
    description += (i > 0 ? " " : "") + origin_of(r) + ": " + price_of(r);
  }
  if (!steps.empty()) draw_legend(figure, steps.front());
  const std::string title =
      steps.empty() ? "No request" : "What a warp asks of memory: " + place_of(steps[0], 0, "");
  return figure.document(title, description);
}

std::string svg_ribbon(const Request& request, int64_t leading_dimension) {
  const Walk walk = walk_of(request, leading_dimension);
  int64_t rows = std::max(walk.last_row - walk.first_row + 1, FEWEST_ROWS);
  if (walk.rows > walk.last_row) rows = std::min(rows, walk.rows - walk.first_row);
  rows = std::min(rows, MOST_ROWS);
  Figure figure;
  figure.heading(request);
  figure.paragraph("ink",
                   "The matrix, " + std::to_string(walk.columns) + " elements of " +
                       std::to_string(walk.element_bytes) + " bytes in a row:",
                   16, 140);
  draw_matrix(figure, walk, rows);
  figure.y += 14;
  figure.paragraph("ink", "In memory its rows lie one behind the other:", 16, 140);
  draw_memory(figure, walk, rows);
  const std::string words = walk_in_words(request, walk);
  figure.paragraph("price ink", words, 24, 105);
  return figure.document("Where a warp walks in memory: " + place_of(request, 0, ""),
                         origin_of(request) + ": " + words);
}

std::string svg_timeline(const Timeline& timeline) {
  constexpr int LEFT = MARGIN + 110, ROW = 22, BAR = 16, NARROWEST_NUMBER = 12;
  constexpr double DRAWN = WIDTH - MARGIN - LEFT;
  Figure figure;
  const size_t steps = timeline.steps();
  figure.paragraph("heading ink", "Timeline of " + timeline.kernel, 24, 84);
  figure.paragraph("soft",
                   "block " + std::to_string(timeline.block) + ", " + std::to_string(steps) +
                       (timeline.is_cut ? " steps, the first ones" : " steps") +
                       "; in a step each warp executes one basic block, unless it waits",
                   20, 140);
  figure.y += 16;
  const auto x_of = [&](size_t step) {
    return LEFT + static_cast<int>(DRAWN * static_cast<double>(step) /
                                   static_cast<double>(std::max<size_t>(steps, 1)));
  };
  // Each kind of moment has a lane's colour.
  const std::string runs = color_of(20), copies = color_of(4), multiplies = color_of(12);
  const auto draw_run = [&](size_t first, size_t past_end, const Moment& moment) {
    const int left = x_of(first), width = std::max(1, x_of(past_end) - left);
    if (moment.multiplies || moment.copies || moment.doing == Doing::runs) {
      const std::string& fill = moment.multiplies ? multiplies : moment.copies ? copies : runs;
      figure.rectangle(left, figure.y, width, BAR, 0, "", fill);
    } else if (moment.doing == Doing::waits_at_barrier) {
      figure.rectangle(left, figure.y + BAR / 4, width, BAR / 2, 0, "hollow");
    } else if (moment.doing == Doing::waits_for_phase) {
      figure.rectangle(left, figure.y + BAR / 2 - 1, width, 2, 0, "soft");
    }
  };
  for (const Track& track : tracks_of(timeline)) {
    const std::vector<Moment>& moments = timeline.warps[track.first];
    figure.write(LEFT - 10, figure.y + 13, "right ink", track.name());
    for (size_t first = 0; first < moments.size();) {
      size_t past_end = first + 1;
      while (past_end < moments.size() && moments[past_end] == moments[first]) ++past_end;
      draw_run(first, past_end, moments[first]);
      first = past_end;
    }
    figure.y += ROW;
  }
  figure.y += 8;
  for (const TimedMbarrier& one : timeline.mbarriers) {
    figure.write(LEFT - 10, figure.y + 13, "right ink", one.name);
    for (size_t first = 0; first < one.phases.size();) {
      size_t past_end = first + 1;
      while (past_end < one.phases.size() && one.phases[past_end] == one.phases[first]) ++past_end;
      const int left = x_of(one.begins + first);
      const int width = std::max(1, x_of(one.begins + past_end) - left);
      figure.rectangle(left, figure.y, width, BAR, 0, "hollow");
      if (width >= NARROWEST_NUMBER) {
        figure.write(left + width / 2, figure.y + 12, "middle small soft",
                     std::to_string(one.phases[first]));
      }
      first = past_end;
    }
    figure.y += ROW;
  }
  figure.y += 12;
  int x = MARGIN;
  const auto explain = [&](std::string_view classes, const std::string& fill, int height,
                           std::string_view text, int width) {
    figure.rectangle(x, figure.y + (BAR - height) / 2, SEAT, height, 0, classes, fill);
    figure.write(x + SEAT + 8, figure.y + 13, "soft", text);
    x += width;
  };
  explain("", runs, BAR, "runs", 90);
  explain("", copies, BAR, "requests a copy", 160);
  explain("", multiplies, BAR, "begins a product", 170);
  explain("hollow", "", BAR / 2, "waits at a barrier", 175);
  explain("soft", "", 2, "waits for a phase", 170);
  if (!timeline.mbarriers.empty()) explain("hollow", "", BAR, "complete phases", 150);
  figure.y += BAR + 8;
  for (const std::string& sentence : waits_in_words(timeline))
    figure.paragraph("ink", sentence, 20, 120);
  for (const std::string& sentence : phases_in_words(timeline))
    figure.paragraph("ink", sentence, 20, 120);
  return figure.document("Timeline of " + timeline.kernel,
                         "What each warp of a block does from step to step");
}

}  // namespace lens
