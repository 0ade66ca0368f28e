#include "results/source_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "results/source_functions.hpp"

namespace results {
namespace {

constexpr double SECTOR_BYTES = 32;
constexpr double SOME = 1.2, MUCH = 2.0;  // times what is needed
constexpr int SOURCE_SHARE = 40;  // per cent of the page that its lines have at least, if they can
constexpr int LEAST_SOURCE = 12;  // columns that they have in any case
constexpr const char* BLANKS = " \t\r";

double per_request(uint64_t count, const Line& line) {
  return line.requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(line.requests);
}

// The path through memory shows in what it costs.
bool is_shared(const Line& line) { return line.wavefronts > 0; }

// What a line does with memory: "load", "store", "atomic", or "copy" for cp.async.
std::string action_of(const Line& line) {
  const std::string first = line.instruction.substr(0, line.instruction.find('.'));
  if (first == "ld" || first == "ldu") return "load";
  if (first == "st") return "store";
  if (first == "cp") return "copy";
  return first == "atom" || first == "red" ? "atomic" : first;
}

std::string access_of(const Line& line) {
  return fmt::format("{} {} B", action_of(line), line.bytes_per_lane);
}

// What a line asked of a buffer with accesses of one width is one row, whichever instruction it was.
std::vector<Line> rows_of(const std::vector<Line>& lines) {
  std::vector<Line> rows;
  for (const Line& line : lines) {
    const auto same = [&](const Line& row) {
      return row.file == line.file && row.line == line.line && row.buffer == line.buffer &&
             access_of(row) == access_of(line);
    };
    const auto row = std::ranges::find_if(rows, same);
    if (row == rows.end()) {
      rows.push_back(line);
      continue;
    }
    row->requests += line.requests;
    row->lanes += line.lanes;
    row->bytes_used += line.bytes_used;
    row->sectors += line.sectors;
    row->lines += line.lines;
    row->wavefronts += line.wavefronts;
    row->bank_conflicts += line.bank_conflicts;
  }
  std::ranges::sort(rows, [](const Line& a, const Line& b) {
    if (waste_of(a) != waste_of(b)) return waste_of(a) > waste_of(b);
    return std::pair(a.buffer, access_of(a)) < std::pair(b.buffer, access_of(b));
  });
  return rows;
}

std::string pad_left(const std::string& text, int width) {
  return std::string(static_cast<size_t>(std::max(0, width - text::display_width(text))), ' ') +
         text;
}
std::string pad_right(const std::string& text, int width) {
  return text +
         std::string(static_cast<size_t>(std::max(0, width - text::display_width(text))), ' ');
}

// Of a text the first columns, the last of them an ellipsis if it has more.
std::string cut(const std::string& text, int width, const std::string& ellipsis) {
  if (text::display_width(text) <= width) return text;
  std::string part = text;
  while (text::display_width(part) > std::max(0, width - 1)) part.pop_back();
  return part + ellipsis;
}

// A source line as it can be printed: tabs as blanks, nothing that a terminal takes for a command.
std::string printable_source(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, line.find_last_not_of(BLANKS) + 1)) {
    if (c == '\t') {
      text += "    ";
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
      text += c;
    }
  }
  return text;
}

std::string ascii(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }, '?');
  return text;
}

// A column of the margin. Where the page is narrow those of the highest rank go first; rank 0 stays.
struct Column {
  std::string over, under;  // its heading, of two lines
  bool left = false;
  int rank = 0;
  std::function<std::string(const Line&)> cell;
  int width = 0;
};

class Margin {
 public:
  Margin(const std::vector<Line>& rows, const text::Page& page, int number_width)
      : page_(page), signs_(page.unicode), number_width_(number_width) {
    const bool any_shared = std::ranges::any_of(rows, is_shared);
    const bool any_sectors = std::ranges::any_of(rows, [](const Line& l) { return l.sectors > 0; });
    add(rows, {"", "buffer", true, 0, [](const Line& l) { return l.buffer; }});
    add(rows, {"", "access", true, 1, access_of});
    add(rows, {"", "requests", false, 2,
               [](const Line& l) { return compact(static_cast<double>(l.requests)); }});
    if (any_sectors) {
      add(rows, {"", "sectors", false, 0, [](const Line& l) {
                   return l.sectors == 0 ? "" : fmt::format("{:.1f}", per_request(l.sectors, l));
                 }});
      add(rows, {"bytes", "used", false, 0, [](const Line& l) {
                   if (l.sectors == 0) return std::string();
                   return fmt::format("{:.1f} %",
                                      100 * static_cast<double>(l.bytes_used) /
                                          (SECTOR_BYTES * static_cast<double>(l.sectors)));
                 }});
    }
    if (any_shared) {
      add(rows, {"wave-", "fronts", false, 0, [](const Line& l) {
                   return l.wavefronts == 0 ? ""
                                            : fmt::format("{:.1f}", per_request(l.wavefronts, l));
                 }});
      add(rows, {"con-", "flicts", false, 3, [](const Line& l) {
                   return l.wavefronts == 0 ? "" : compact(static_cast<double>(l.bank_conflicts));
                 }});
    }
    const int needed = page.width * SOURCE_SHARE / 100;
    while (page.width > 0 && source_width() < needed) {
      const auto last =
          std::ranges::max_element(columns_, std::ranges::less_equal{}, &Column::rank);
      if (last->rank == 0) break;
      columns_.erase(last);
    }
    if (page.width > 0 && source_width() < LEAST_SOURCE) {  // a buffer with a long name
      Column& buffer = columns_.front();
      buffer.width = std::max(6, buffer.width - (LEAST_SOURCE - source_width()));
    }
  }

  std::string heading() const {
    std::string over = "   ", under = "   ";
    for (const Column& c : columns_) {
      over += " " + padded(c, c.over);
      under += " " + padded(c, c.under);
    }
    over.erase(over.find_last_not_of(' ') + 1);
    under.erase(under.find_last_not_of(' ') + 1);
    return (over.empty() ? "" : over + "\n") + under + "\n";
  }

  // One line of the page: the margin of an access, or none, and the source's line if it is to stand here.
  std::string line(const Line* access, char sign, const std::string& number,
                   const std::string& source, Waste waste_of_source) const {
    std::string margin = "   ";
    if (access != nullptr) {
      const Waste waste = waste_of(*access);
      margin = waste == Waste::much ? " !!" : waste == Waste::some ? " ! " : "   ";
    }
    for (const Column& c : columns_) {
      margin += " " + padded(c, access == nullptr ? "" : c.cell(*access));
    }
    const std::string bar = fmt::format(" {}", page_.unicode ? "│" : "|");
    std::string code =
        fmt::format("{}{} {}", sign, pad_left(number, number_width_),
                    page_.width > 0 ? cut(source, source_width(), signs_.ellipsis) : source);
    code.erase(code.find_last_not_of(' ') + 1);
    return toned(margin, access == nullptr ? Waste::none : waste_of(*access)) + bar +
           toned(code, waste_of_source) + "\n";
  }

 private:
  void add(const std::vector<Line>& rows, Column column) {
    column.width =
        std::max(static_cast<int>(column.over.size()), static_cast<int>(column.under.size()));
    for (const Line& row : rows) {
      column.width = std::max(column.width, text::display_width(column.cell(row)));
    }
    columns_.push_back(std::move(column));
  }

  std::string padded(const Column& c, const std::string& text) const {
    const std::string fitting = cut(text, c.width, signs_.ellipsis);
    return c.left ? pad_right(fitting, c.width) : pad_left(fitting, c.width);
  }

  // What the page leaves for a source line: beside the marks, the columns, the bar, the sign and the number.
  int source_width() const {
    int width = page_.width - 3 - 2 - 1 - number_width_ - 1;
    for (const Column& c : columns_) width -= c.width + 1;
    return width;
  }

  std::string toned(const std::string& text, Waste waste) const {
    if (!page_.color || waste == Waste::none) return text;
    return (waste == Waste::much ? "\033[1;31m" : "\033[33m") + text + "\033[0m";
  }

  const text::Page page_;
  const text::Signs signs_;
  const int number_width_;
  std::vector<Column> columns_;
};

}  // namespace

Waste waste_of(const Line& line) {
  if (line.requests == 0) return Waste::none;
  double moved = 0, needed = 0;
  if (is_shared(line)) {
    moved = static_cast<double>(line.wavefronts);
    needed = moved - static_cast<double>(line.bank_conflicts);
  } else {
    const auto requests = static_cast<double>(line.requests);
    moved = static_cast<double>(line.sectors);
    // Its bytes, or a sector for each request where that is more.
    needed = std::max(static_cast<double>(line.bytes_used) / SECTOR_BYTES, requests);
  }
  if (moved >= MUCH * needed) return moved > 0 ? Waste::much : Waste::none;
  return moved >= SOME * needed ? Waste::some : Waste::none;
}

std::string compact(double count) {
  if (count < 999.5) return fmt::format("{:.0f}", count);
  static constexpr const char* UNITS[] = {"k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  count /= 1e3;
  while (count >= 999.5 && unit + 1 < std::size(UNITS)) {
    count /= 1e3;
    ++unit;
  }
  const int decimals = count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", count, decimals, UNITS[unit]);
}

Shown functions_with_accesses(const std::vector<Line>& lines, const std::vector<Source>& sources) {
  Shown shown;
  for (const Source& source : sources) {
    std::map<int, char>& here = shown[source.file];
    const std::vector<FunctionLines> functions = functions_of(source.text);
    for (const Line& line : lines) {
      if (line.file != source.file) continue;
      here[line.line] = ' ';
      for (const auto& [first, last] : functions) {
        if (line.line < first || line.line > last) continue;
        for (int number = first; number <= last; ++number) here[number] = ' ';
      }
    }
  }
  return shown;
}

std::string source_view(const std::vector<Line>& lines, const std::vector<Source>& sources,
                        const Shown& shown, const text::Page& page) {
  const std::vector<Line> rows = rows_of(lines);
  const text::Signs signs(page.unicode);
  int last_number = 0;
  for (const auto& [file, numbers] : shown) {
    if (!numbers.empty()) last_number = std::max(last_number, numbers.rbegin()->first);
  }
  const Margin margin(rows, page,
                      std::max(3, static_cast<int>(std::to_string(last_number).size())));

  std::string text = margin.heading();
  for (const Source& source : sources) {
    const auto numbers = shown.find(source.file);
    if (numbers == shown.end() || numbers->second.empty()) continue;
    const std::string name =
        page.width > 0 ? cut(source.name, page.width, signs.ellipsis) : source.name;
    text += page.color ? "\033[1m" + name + "\033[0m\n" : name + "\n";
    const std::vector<std::string_view> code = lines_of(source.text);
    int before = 0;
    for (const auto& [number, sign] : numbers->second) {
      if (before > 0 && number > before + 1)
        text += margin.line(nullptr, ' ', "...", "", Waste::none);
      before = number;
      const auto index = static_cast<size_t>(number - 1);
      std::string line = index < code.size() ? printable_source(code[index]) : "";
      if (!page.unicode) line = ascii(line);
      std::vector<const Line*> accesses;
      for (const Line& row : rows) {
        if (row.file == source.file && row.line == number) accesses.push_back(&row);
      }
      const Waste worst = accesses.empty() ? Waste::none : waste_of(*accesses.front());
      text += margin.line(accesses.empty() ? nullptr : accesses.front(), sign,
                          std::to_string(number), line, worst);
      for (size_t i = 1; i < accesses.size(); ++i) {
        text += margin.line(accesses[i], ' ', "", "", Waste::none);
      }
    }
  }
  return text;
}

std::string source_legend(const std::vector<Line>& lines, const text::Page& page) {
  std::string text = "requests: a warp's accesses";
  if (std::ranges::any_of(lines, [](const Line& l) { return l.sectors > 0; })) {
    text += "; sectors: of 32 bytes, that a request touches; bytes used: of those in its sectors";
  }
  if (std::ranges::any_of(lines, is_shared)) {
    text +=
        "; wavefronts: passes over the banks of shared memory, of a request; conflicts: those "
        "beyond the least number, of all";
  }
  text += "; ! moves more than its bytes need, !! twice as much or more";
  return text::wrap(text, page.width, 2) + "\n";
}

}  // namespace results
