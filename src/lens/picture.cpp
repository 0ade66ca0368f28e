#include "lens/picture.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "lens/drawing.hpp"

namespace lens {
namespace {

constexpr int NARROWEST = 60;
constexpr int UNLIMITED = 100;  // columns of a page that has no limit
constexpr int WIDE = 96;        // from this width on, a word has two signs
constexpr int SECTORS = 4;      // sectors of a line

/// The signs of a drawing. Each is one character, except the arrow between two numbers.
struct Marks {
  explicit Marks(bool unicode)
      : lane(unicode ? "▼" : "v"),
        inactive(unicode ? "·" : "-"),
        used(unicode ? "█" : "#"),
        partly(unicode ? "▄" : "+"),
        wasted(unicode ? "░" : "."),
        collides(unicode ? "╳" : "X"),
        other(unicode ? "·" : "."),
        gap(unicode ? "⋮" : ":"),
        ellipsis(unicode ? "…" : "~"),
        row_start(unicode ? "│" : "|"),
        untouched(unicode ? "─" : "-") {}

  std::string lane, inactive, used, partly, wasted, collides, other, gap, ellipsis, row_start,
      untouched;
};

enum class Tone { plain, strong, good, bad, faint };

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::strong:
      return "\033[1m";
    case Tone::good:
      return "\033[32m";
    case Tone::bad:
      return "\033[31m";
    case Tone::faint:
      return "\033[2m";
    case Tone::plain:
      break;
  }
  return "";
}

// A line of text, coloured in runs of signs. Blanks after its last sign are left out.
class Row {
 public:
  explicit Row(bool color) : color_(color) {}

  Row& add(std::string_view text, Tone tone = Tone::plain) {
    if (text.find_first_not_of(' ') == text.npos) {
      blanks_ += text;
      return *this;
    }
    if (tone != tone_) end_tone();
    text_ += blanks_;
    blanks_.clear();
    if (tone != tone_ && color_) text_ += escape_of(tone);
    tone_ = tone;
    text_ += text;
    return *this;
  }

  Row& add_right(const std::string& text, int width, Tone tone = Tone::plain) {
    const int blanks = std::max(0, width - text::display_width(text));
    return add(std::string(static_cast<size_t>(blanks), ' ')).add(text, tone);
  }

  std::string end() {
    end_tone();
    blanks_.clear();
    return text_ + "\n";
  }

 private:
  void end_tone() {
    if (color_ && tone_ != Tone::plain) text_ += "\033[0m";
    tone_ = Tone::plain;
  }

  const bool color_;
  Tone tone_ = Tone::plain;
  std::string text_, blanks_;
};

/// The columns of a picture: the gap's mark, the line's number, its first byte, the words, the lanes.
class Painter {
 public:
  explicit Painter(const text::Page& page)
      : page_(page),
        marks_(page.unicode),
        width_(page.width == 0 ? UNLIMITED : std::max(page.width, NARROWEST)) {}

  std::string heading(const Request& r) const {
    Row place(page_.color);
    place.add(place_of(r, width_, marks_.ellipsis), Tone::strong);
    return place.end() + sentence(origin_of(r));
  }

  std::string sentence(const std::string& text) const { return text::wrap(text, width_, 0) + "\n"; }

  std::string request(const Request& r) const {
    const std::vector<Phase> phases = phases_of(r);
    const Columns columns = columns_for(phases);
    const bool shared = r.path == Path::shared;
    std::string text;
    for (size_t i = 0; i < phases.size(); ++i) {
      if (phases.size() > 1) {
        text += sentence("phase " + std::to_string(i + 1) + " of " + std::to_string(phases.size()) +
                         ": lanes " + lane_list(phases[i].lanes));
      }
      text += lanes(r.active & phases[i].lanes, columns);
      text += rule(shared, columns);
      for (const Line& line : phases[i].lines) text += this->line(line, shared, columns);
      if (shared) text += words_in_banks(phases[i], columns);
    }
    return text;
  }

  std::string legend(const std::vector<Request>& steps) const {
    const auto any_line = [&](auto&& is) {
      return std::ranges::any_of(steps, [&](const Request& r) {
        return std::ranges::any_of(
            phases_of(r), [&](const Phase& phase) { return std::ranges::any_of(phase.lines, is); });
      });
    };
    const auto any_word = [&](auto&& is) {
      return any_line([&](const Line& line) { return std::ranges::any_of(line.words, is); });
    };
    const bool shared = any_word([](const Word& w) { return w.lanes != 0 && !w.fetched; });
    std::string text;
    const auto explain = [&](bool is_there, const std::string& mark, const char* meaning) {
      if (is_there) text += (text.empty() ? "" : ", ") + mark + " " + meaning;
    };
    explain(any_word([](const Word& w) { return w.bytes == 0xf && !w.collides; }), marks_.used,
            "4 bytes used");
    explain(any_word([](const Word& w) { return w.bytes != 0 && w.bytes != 0xf && !w.collides; }),
            marks_.partly, "used in part");
    explain(any_word([](const Word& w) { return w.collides; }), marks_.collides,
            "waits for another word of its bank");
    explain(any_word([](const Word& w) { return w.lanes == 0 && w.fetched; }), marks_.wasted,
            std::ranges::any_of(steps, [](const Request& r) { return r.action == Action::load; })
                ? "4 bytes fetched in vain"
                : "4 bytes of a touched sector that no lane uses");
    explain(any_line([](const Line& l) { return l.after_gap; }), marks_.gap,
            "left out: no lane touches it");
    explain(std::ranges::any_of(steps, [](const Request& r) { return r.active != ~0u; }),
            marks_.inactive, shared ? "inactive lane, or unused word" : "inactive lane");
    return text.empty() ? "" : sentence(text);
  }

  std::string matrix(const Walk& walk) const;
  std::string memory(const Walk& walk) const;

 private:
  struct Columns {
    int number = 5, offset = 7;
    int signs = 1;  // signs for each word
  };

  static int width_of(int64_t number) { return static_cast<int>(std::to_string(number).size()); }
  static int lead(const Columns& c) { return 1 + c.number + 1 + c.offset + 2; }
  static int words(const Columns& c) { return SECTORS * (8 * c.signs + 1) - 1; }

  // If the page is too narrow, the line's number is left out: the offset says the same.
  Columns columns_for(const std::vector<Phase>& phases) const {
    Columns columns;
    for (const Phase& phase : phases) {
      for (const Line& line : phase.lines) {
        columns.number = std::max(columns.number, width_of(line.number));
        columns.offset = std::max(columns.offset, width_of(line.offset));
      }
    }
    if (lead(columns) + words(columns) > width_) columns.number = 0;
    Columns wide = columns;
    wide.signs = 2;
    return width_ >= WIDE && lead(wide) + words(wide) <= width_ ? wide : columns;
  }

  static std::string repeated(const std::string& sign, const Columns& columns) {
    return columns.signs == 2 ? sign + sign : sign;
  }
  static void part(Row& row, size_t word) {
    if (word != 0 && word % WORDS_OF_A_SECTOR == 0) row.add(" ");
  }

  std::string lanes(uint32_t active, const Columns& columns) const {
    Row row(page_.color);
    row.add_right("lanes  ", lead(columns));
    for (size_t lane = 0; lane < WORDS; ++lane) {
      part(row, lane);
      const bool is_active = (active >> lane & 1u) != 0;
      row.add(is_active ? marks_.lane : marks_.inactive, is_active ? Tone::plain : Tone::faint);
      if (columns.signs == 2) row.add(" ");
    }
    return row.end();
  }

  std::string rule(bool shared, const Columns& columns) const {
    Row row(page_.color);
    row.add(" ").add_right(columns.number == 0 ? ""
                           : shared            ? "row"
                                               : "line",
                           columns.number, Tone::faint);
    row.add(" ").add_right("byte", columns.offset, Tone::faint).add("  ");
    const auto sector = static_cast<size_t>(columns.signs) * WORDS_OF_A_SECTOR;
    for (size_t i = 0; i < SECTORS; ++i) {
      const std::string name =
          shared ? std::string(i == 0 ? "bank " : "") + std::to_string(i * WORDS_OF_A_SECTOR)
                 : std::string(i == 0 ? "sector " : "") + std::to_string(i);
      row.add(name, Tone::faint).add(std::string(sector - name.size() + 1, ' '));
    }
    row.add(" ");
    if (room_for_lanes(columns) > 0) row.add("lanes", Tone::faint);
    return row.end();
  }

  int room_for_lanes(const Columns& columns) const {
    const int room = width_ - lead(columns) - words(columns) - 2;
    return room >= 5 ? room : 0;
  }

  void add_word(Row& row, const Word& word, bool shared, const Columns& columns) const {
    if (word.collides) {
      row.add(repeated(marks_.collides, columns), Tone::bad);
    } else if (word.bytes != 0) {
      row.add(repeated(word.bytes == 0xf ? marks_.used : marks_.partly, columns), Tone::good);
    } else if (word.fetched) {
      row.add(repeated(marks_.wasted, columns), Tone::bad);
    } else {
      row.add(shared ? repeated(marks_.other, columns) : repeated(" ", columns), Tone::faint);
    }
  }

  std::string line(const Line& line, bool shared, const Columns& columns) const {
    Row row(page_.color);
    row.add(line.after_gap ? marks_.gap : " ", Tone::faint);
    row.add_right(columns.number == 0 ? "" : std::to_string(line.number), columns.number);
    row.add(" ");
    row.add_right(std::to_string(line.offset), columns.offset, Tone::faint).add("  ");
    for (size_t word = 0; word < WORDS; ++word) {
      part(row, word);
      add_word(row, line.words[word], shared, columns);
    }
    if (const int room = room_for_lanes(columns); room > 0)
      row.add("  ").add(text::shortened(lane_list(line.lanes), room, marks_.ellipsis));
    return row.end();
  }

  // Draws the number of words in each bank, its tens above its ones.
  std::string words_in_banks(const Phase& phase, const Columns& columns) const {
    const uint32_t most = *std::ranges::max_element(phase.words_in_bank);
    Row tens(page_.color), ones(page_.color);
    tens.add(std::string(static_cast<size_t>(lead(columns)), ' '));
    ones.add_right("words in bank  ", lead(columns), Tone::faint);
    for (size_t bank = 0; bank < WORDS; ++bank) {
      part(tens, bank);
      part(ones, bank);
      const uint32_t words = phase.words_in_bank[bank];
      const Tone tone = words > 1 ? Tone::bad : Tone::plain;
      if (columns.signs == 2) {
        ones.add_right(words == 0 ? marks_.other : std::to_string(words), 2, tone);
        continue;
      }
      tens.add(words < 10 ? " " : std::to_string(words / 10), tone);
      ones.add(words == 0 ? marks_.other : std::to_string(words % 10), tone);
    }
    return (columns.signs == 1 && most >= 10 ? tens.end() : "") + ones.end();
  }

  const text::Page page_;
  const Marks marks_;
  const int width_;
};

// Draws the first and the last touched row, each from the first touched column on.
std::string Painter::matrix(const Walk& walk) const {
  constexpr int64_t MOST_ROWS = 8;
  const int row_width = std::max({5, width_of(walk.first_row), width_of(walk.last_row)});
  int64_t first_column = walk.columns;
  for (const Walk::Element& e : walk.elements) first_column = std::min(first_column, e.column);
  first_column = first_column / 8 * 8;
  const int64_t room = width_ - row_width - 5;
  const int64_t shown = std::min<int64_t>(room, walk.columns - first_column);
  const bool is_cut = first_column + shown < walk.columns;

  std::vector<int64_t> rows;
  for (const Walk::Element& e : walk.elements) {
    if (rows.empty() || rows.back() != e.row) rows.push_back(e.row);
  }
  Row title(page_.color);
  title.add_right("row", row_width, Tone::faint).add("  ");
  title.add("columns " + std::to_string(first_column) + " to " +
                std::to_string(first_column + shown - 1) + " of " + std::to_string(walk.columns),
            Tone::faint);
  std::string text = title.end();
  int64_t before = -1;
  const auto count = static_cast<int64_t>(rows.size());
  for (int64_t i = 0; i < count; ++i) {
    if (count > MOST_ROWS && i == MOST_ROWS - 2) {
      Row row(page_.color);
      row.add_right(marks_.gap, row_width, Tone::faint);
      row.add("  " + std::to_string(count - MOST_ROWS + 1) + " rows more", Tone::faint);
      text += row.end();
      i = count - 1;
      before = rows[static_cast<size_t>(i)] - 1;
    }
    const int64_t number = rows[static_cast<size_t>(i)];
    Row row(page_.color);
    if (before >= 0 && number != before + 1) {
      text += Row(page_.color).add_right(marks_.gap, row_width, Tone::faint).end();
    }
    before = number;
    row.add_right(std::to_string(number), row_width).add("  ");
    for (int64_t column = first_column; column < first_column + shown; ++column) {
      const bool touched = std::ranges::any_of(walk.elements, [&](const Walk::Element& e) {
        return e.row == number && e.column == column;
      });
      row.add(touched ? marks_.used : marks_.other, touched ? Tone::good : Tone::faint);
    }
    if (is_cut) row.add(" " + marks_.ellipsis, Tone::faint);
    text += row.end();
  }
  return text;
}

// Draws the first touched rows, at least four, as one line of memory. All rows are drawn equally long, so several elements
// may share a sign.
std::string Painter::memory(const Walk& walk) const {
  constexpr int64_t FEWEST_ROWS = 4, MOST_ROWS = 8;
  int64_t rows = std::max(walk.last_row - walk.first_row + 1, FEWEST_ROWS);
  if (walk.rows > walk.last_row) rows = std::min(rows, walk.rows - walk.first_row);
  const int64_t shown = std::min(rows, MOST_ROWS);
  const int64_t signs = std::min((width_ - 4) / shown, walk.columns);  // of a row

  std::vector<bool> touched(static_cast<size_t>(shown * signs));
  for (const Walk::Element& e : walk.elements) {
    const int64_t row = e.row - walk.first_row;
    if (row < shown)
      touched[static_cast<size_t>(row * signs + e.column * signs / walk.columns)] = true;
  }
  Row ruler(page_.color), ribbon(page_.color);
  ruler.add("  ");
  ribbon.add("  ");
  for (int64_t row = 0; row < shown; ++row) {
    std::string name = (row == 0 ? "row " : "") + std::to_string(walk.first_row + row);
    if (static_cast<int64_t>(name.size()) + 1 > signs) name.clear();
    const auto blanks = static_cast<size_t>(signs - 1) - name.size();
    ruler.add(marks_.row_start + name, Tone::faint).add(std::string(blanks, ' '));
  }
  for (const bool is_touched : touched)
    ribbon.add(is_touched ? marks_.used : marks_.untouched, is_touched ? Tone::good : Tone::faint);
  if (walk.last_row >= walk.first_row + shown) ribbon.add(" " + marks_.ellipsis, Tone::faint);
  return ruler.end() + ribbon.end();
}

// True if `r` has the same heading as `before`, apart from the number of the request.
bool is_next_step(const Request& before, const Request& r) {
  Request alike = r;
  alike.nth = before.nth;
  return place_of(before, 0, "") == place_of(r, 0, "") && origin_of(before) == origin_of(alike);
}

}  // namespace

std::string picture(const std::vector<Request>& steps, const text::Page& page) {
  const Painter painter(page);
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Request& r = steps[i];
    if (i > 0) text += "\n";
    const bool next = i > 0 && is_next_step(steps[i - 1], r);
    text += next ? painter.sentence("request " + std::to_string(r.nth)) : painter.heading(r) + "\n";
    text += painter.request(r);
    text += painter.sentence(price_of(r));
  }
  return text.empty() ? text : text + "\n" + painter.legend(steps);
}

std::string ribbon(const Request& request, int64_t leading_dimension, const text::Page& page) {
  const Painter painter(page);
  const Walk walk = walk_of(request, leading_dimension);
  std::string text = painter.heading(request);
  text += "\n" + painter.sentence("The matrix, " + std::to_string(walk.columns) + " elements of " +
                                  std::to_string(walk.element_bytes) +
                                  (walk.element_bytes == 1 ? " byte" : " bytes") + " in a row:");
  text += painter.matrix(walk);
  text += painter.sentence("In memory its rows lie one behind the other:");
  text += painter.memory(walk);
  return text + painter.sentence(walk_in_words(request, walk));
}

}  // namespace lens
