#include "results/sources/source_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "results/sources/source_functions.hpp"
#include "text/foreign.hpp"
#include "text/page.hpp"
#include "text/table.hpp"

namespace results {
namespace {

constexpr int SOURCE_SHARE = 40;  // per cent of the page: its least width, if there is room
constexpr int LEAST_SOURCE = 12;  // columns: its least width in any case
constexpr const char* BLANKS = " \t\r";

// Returns a figure of a line for its column, or nothing.
std::string figure(std::optional<double> value, const char* unit = "") {
  return value ? fmt::format("{:.1f}{}", *value, unit) : std::string();
}
std::optional<double> percent(std::optional<double> share) {
  return share ? std::optional(100 * *share) : share;
}

bool is_shared(const Line& line) { return line.wavefronts > 0; }

std::string access_of(const Line& line) {
  return fmt::format("{} {} B", action_of(line), line.bytes_per_lane);
}

// Returns one row for all of a line's accesses of one width to a buffer, with any instruction.
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

// Returns a source line that can be printed: tabs become blanks, and nothing is left that a terminal takes for a
// command.
std::string printable_source(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, line.find_last_not_of(BLANKS) + 1)) {
    text += c == '\t' ? "    " : std::string(1, c);
  }
  return text::plain_line(text);
}

std::string ascii(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }, '?');
  return text;
}

// A column of the margin.
struct Column {
  std::string over, under;  // the heading, in two lines
  text::Align align = text::Align::right;
  int rank = 0;
  std::string meaning;  // for the legend, or nothing
  std::function<std::string(const Line&)> cell;
};

// A source line as it is printed, and the rows of the margin beside it.
struct CodeRow {
  char sign = ' ';
  std::string number{};
  std::string code{};
  std::vector<const Line*> accesses{};
};

// The page: marks, numbers and source on the left, and on the right the margin of the lines that access memory. All
// other lines have the whole width.
class Layout {
 public:
  Layout(const std::vector<Line>& accesses, const std::vector<CodeRow>& code,
         const text::Page& page)
      : page_(page), signs_(page.unicode), columns_(columns_of(accesses)), margin_({}, page) {
    for (const Column& c : columns_)
      margin_.columns.push_back({.align = c.align, .rank = c.rank, .gap = 1});
    margin_.make_room_for(cells(&Column::over));
    margin_.make_room_for(cells(&Column::under));
    for (const Line& access : accesses) margin_.make_room_for(cells(access));
    int longest = 0, longest_access = 0;
    for (const CodeRow& row : code) {
      number_width_ = std::max(number_width_, text::display_width(row.number));
      const int width = text::display_width(row.code);
      longest = std::max(longest, width);
      if (!row.accesses.empty()) longest_access = std::max(longest_access, width);
    }
    const int wanted = std::min(longest_access, page.width * SOURCE_SHARE / 100);
    while (page.width > 0 && room_for_code() < wanted && margin_.leave_one_out()) {
    }
    if (page.width > 0 && room_for_code() < LEAST_SOURCE) {  // a buffer with a long name
      text::Column& buffer = margin_.columns.front();
      buffer.cut = buffer.width = std::max(6, buffer.width - (LEAST_SOURCE - room_for_code()));
    }
    code_width_ = page.width > 0 ? std::min(room_for_code(), longest) : longest;
  }

  std::string heading() const {
    std::string text;
    for (const auto part : {&Column::over, &Column::under}) {
      const std::string line = margin_.line(cells(part));
      if (line == "\n") continue;
      text += std::string(static_cast<size_t>(before_code() + code_width_ + 2), ' ') + line;
    }
    return text;
  }

  // Returns the meaning of the shown columns and of the marks.
  std::string legend() const {
    std::vector<std::string> meanings;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (margin_.columns[i].is_shown && !columns_[i].meaning.empty())
        meanings.push_back(columns_[i].meaning);
    }
    meanings.emplace_back("! moves more than its bytes need, !! twice as much or more");
    return text::wrap(fmt::format("{}", fmt::join(meanings, "; ")), page_.width, 2) + "\n";
  }

  // Returns a line of source. If it is too long for its place beside the margin, it continues below, beside further rows
  // of the margin.
  std::string row(const CodeRow& row) const {
    const std::string start =
        fmt::format("{}{} ", row.sign, text::pad_left(row.number, number_width_));
    if (row.accesses.empty()) {
      const int room = page_.width - before_code();
      std::string line =
          "   " + start +
          (page_.width > 0 ? text::shortened(row.code, room, signs_.ellipsis) : row.code);
      line.erase(line.find_last_not_of(' ') + 1);
      return line + "\n";
    }
    const Waste worst = waste_of(*row.accesses.front());
    std::string text;
    std::string rest = row.code;
    for (size_t i = 0; i < row.accesses.size(); ++i) {
      const Line& access = *row.accesses[i];
      const bool is_last = i + 1 == row.accesses.size();
      const std::string code =
          is_last ? text::shortened(rest, code_width_, signs_.ellipsis) : take(rest);
      const Waste waste = waste_of(access);
      const char* mark = waste == Waste::much ? "!! " : waste == Waste::some ? "!  " : "   ";
      std::string margin = margin_.line(cells(access));
      margin.pop_back();  // the line's end
      text += toned(mark, waste) +
              toned((i == 0 ? start : std::string(start.size(), ' ')) +
                        text::pad_right(code, code_width_),
                    worst) +
              (page_.unicode ? " │" : " |") + toned(margin, waste) + "\n";
    }
    return text;
  }

 private:
  static std::vector<Column> columns_of(const std::vector<Line>& accesses) {
    using enum text::Align;
    std::vector<Column> columns{
        {"", "buffer", left, 0, "", [](const Line& l) { return l.buffer; }},
        {"", "access", left, 1, "", access_of},
        {"", "requests", right, 2, "requests: a warp's accesses",
         [](const Line& l) { return compact(static_cast<double>(l.requests)); }},
    };
    if (std::ranges::any_of(accesses, [](const Line& l) { return l.sectors > 0; })) {
      columns.push_back({"", "sectors", right, 0,
                         "sectors: the sectors of 32 bytes that a request touches",
                         [](const Line& l) { return figure(sectors_per_request(l)); }});
      columns.push_back(
          {"bytes", "used", right, 0,
           "bytes used: the share of its sectors' bytes that the lanes ask for",
           [](const Line& l) { return figure(percent(bytes_used_over_fetched(l)), " %"); }});
    }
    if (std::ranges::any_of(accesses, is_shared)) {
      columns.push_back({"wave-", "fronts", right, 0,
                         "wavefronts: the passes of a request over the banks of shared memory",
                         [](const Line& l) { return figure(wavefronts_per_request(l)); }});
      columns.push_back({"con-", "flicts", right, 3,
                         "conflicts: wavefronts of all requests beyond the least number possible",
                         [](const Line& l) {
                           return l.wavefronts == 0
                                      ? ""
                                      : compact(static_cast<double>(l.bank_conflicts));
                         }});
    }
    return columns;
  }

  text::Table::Row cells(const std::string Column::* part) const {
    text::Table::Row row;
    for (const Column& c : columns_) row.push_back({c.*part});
    return row;
  }
  text::Table::Row cells(const Line& access) const {
    text::Table::Row row;
    for (const Column& c : columns_) row.push_back({c.cell(access)});
    return row;
  }

  int before_code() const { return 3 + 1 + number_width_ + 1; }  // the mark, the sign, the number

  // Returns the width for the source beside a margin.
  int room_for_code() const { return page_.width - before_code() - 2 - margin_.width(); }

  // Takes as many words off the text as fit, and leaves the others with the indentation.
  std::string take(std::string& text) const {
    if (text::display_width(text) <= code_width_) return std::exchange(text, "");
    const size_t indent = text.find_first_not_of(' ');
    std::string part = text;
    while (text::display_width(part) > code_width_) {
      const size_t space = part.rfind(' ', part.find_last_not_of(' '));
      if (space == part.npos || space <= indent) return "";  // a single word longer than the line
      part.erase(space);
    }
    text = std::string(indent + 4, ' ') + text.substr(part.size() + 1);
    return part;
  }

  std::string toned(const std::string& text, Waste waste) const {
    if (!page_.color || waste == Waste::none || text.find_first_not_of(' ') == text.npos)
      return text;
    return (waste == Waste::much ? "\033[1;31m" : "\033[33m") + text + "\033[0m";
  }

  const text::Page page_;
  const text::Signs signs_;
  const std::vector<Column> columns_;
  text::Table margin_;
  int number_width_ = 3;
  int code_width_ = 0;
};

// A file of a part: its name, and its lines with "..." for each omitted stretch.
struct FileRows {
  std::string name;
  std::vector<CodeRow> rows;
};

std::vector<FileRows> files_of(const SourcePart& part, const std::vector<Line>& accesses,
                               bool unicode) {
  std::vector<FileRows> files;
  for (const Source& source : part.sources) {
    const auto numbers = part.shown.find(source.file);
    if (numbers == part.shown.end() || numbers->second.empty()) continue;
    FileRows& file = files.emplace_back(FileRows{source.name, {}});
    const std::vector<std::string_view> code = text::lines_of(source.text);
    int before = 0;
    for (const auto& [number, sign] : numbers->second) {
      if (before > 0 && number > before + 1) file.rows.push_back({.number = "..."});
      before = number;
      const auto index = static_cast<size_t>(number - 1);
      CodeRow row{.sign = sign,
                  .number = std::to_string(number),
                  .code = index < code.size() ? printable_source(code[index]) : ""};
      if (!unicode) row.code = ascii(row.code);
      for (const Line& access : accesses) {
        if (access.file == source.file && access.line == number) row.accesses.push_back(&access);
      }
      file.rows.push_back(std::move(row));
    }
  }
  return files;
}

}  // namespace

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

std::string source_view(const std::vector<SourcePart>& parts, const text::Page& page) {
  std::vector<std::vector<Line>> accesses;
  std::vector<std::vector<FileRows>> files;
  std::vector<Line> all_accesses;
  std::vector<CodeRow> all_rows;
  for (const SourcePart& part : parts) {
    accesses.push_back(rows_of(part.lines));
    all_accesses.insert(all_accesses.end(), accesses.back().begin(), accesses.back().end());
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    files.push_back(files_of(parts[i], accesses[i], page.unicode));
    for (const FileRows& file : files.back())
      all_rows.insert(all_rows.end(), file.rows.begin(), file.rows.end());
  }
  const Layout layout(all_accesses, all_rows, page);
  const text::Signs signs(page.unicode);
  const auto bold = [&](const std::string& text) {
    return page.color ? "\033[1m" + text + "\033[0m\n" : text + "\n";
  };
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += "\n";
    text += bold(text::wrap(parts[i].title, page.width, 2));
    if (files[i].empty()) continue;
    text += layout.heading();
    for (const FileRows& file : files[i]) {
      text += page.width > 0 ? text::shortened(file.name, page.width, signs.ellipsis) : file.name;
      text += "\n";
      for (const CodeRow& row : file.rows) text += layout.row(row);
    }
  }
  return text + "\n" + layout.legend();
}

}  // namespace results
