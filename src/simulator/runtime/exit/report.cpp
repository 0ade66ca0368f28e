#include "simulator/runtime/exit/report.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "text/table.hpp"

namespace simulator::runtime {
namespace {

constexpr size_t MOST_SHOWN = 40;
constexpr size_t NARROWEST_REPORT = 60;
constexpr int NARROWEST_NAME = 9;

// Returns a number up to 999999 unchanged, and a larger one with three digits and the SI letter.
std::string count(uint64_t value) {
  if (value < 1'000'000) return std::to_string(value);
  double scaled = static_cast<double>(value);
  std::string_view letter;
  for (const std::string_view next : {"k", "M", "G", "T", "P", "E"}) {
    if (scaled < 1000) break;
    scaled /= 1000;
    letter = next;
  }
  std::ostringstream text;
  text << std::fixed
       << std::setprecision(scaled < 10    ? 2
                            : scaled < 100 ? 1
                                           : 0)
       << scaled << ' ' << letter;
  return text.str();
}

std::string counted(uint64_t value, std::string_view noun, std::string_view plural_ending = "s") {
  std::string text = count(value) + " ";
  text += noun;
  if (value != 1) text += plural_ending;
  return text;
}

std::string ratio(uint64_t part, uint64_t whole, double scale, std::string_view unit) {
  if (whole == 0) return "";
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << scale * static_cast<double>(part) / static_cast<double>(whole) << unit;
  return text.str();
}

std::string file_name(const SourceLine& where) {
  return where.file.empty() ? "unknown file" : where.file_name();
}

// Cuts the beginning of `text` if it is too wide: long names differ at the end.
std::string shortened(const std::string& text, size_t width) {
  return text.size() <= width ? text : ".." + text.substr(text.size() - width + 2);
}

// Cuts the middle: a template's name is at one end, its arguments at the other.
std::string shortened_within(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  const size_t head = (width - 2) / 2;
  return text.substr(0, head) + shortened(text.substr(head), width - head);
}

// Returns the text in lines of at most `width`, broken between words.
std::string wrapped(const std::string& text, size_t width) {
  std::istringstream words(text);
  std::string lines;
  size_t used = 0;
  for (std::string word; words >> word; used += word.size()) {
    if (used > 0 && used + 1 + word.size() <= width) {
      lines += ' ';
      ++used;
    } else if (used > 0) {
      lines += '\n';
      used = 0;
    }
    lines += word;
  }
  return lines + '\n';
}

// Returns "64", or "64 x 4" if it has further dimensions.
std::string extent(const Dim3& size) {
  std::string text = std::to_string(size.x);
  if (size.y > 1 || size.z > 1) text += " x " + std::to_string(size.y);
  if (size.z > 1) text += " x " + std::to_string(size.z);
  return text;
}

// Returns one row for each line, buffer and width, summed over the instructions.
std::vector<AccessCounters> rows_of(const Counters& counters) {
  std::vector<AccessCounters> rows;
  for (const AccessCounters& a : counters.accesses) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const AccessCounters& row) {
      return row.where == a.where && row.access == a.access && row.buffer == a.buffer &&
             row.bytes_per_lane == a.bytes_per_lane;
    });
    if (same == rows.end()) {
      rows.push_back(a);
    } else {
      same->add(a);
    }
  }
  return rows;
}

// The columns of the tables. If they do not all fit, columns of the highest rank are dropped first. Rank 0 stays.
struct Column {
  std::array<const char*, 2> heading;
  int rank = 0;
  text::Align align = text::Align::right;
};
constexpr size_t BUFFER = 1;
constexpr std::array<Column, 10> COLUMNS{{{{"", "line"}},
                                          {{"", "buffer"}, 0, text::Align::left},
                                          {{"", "access"}, 0, text::Align::left},
                                          {{"bytes", "/lane"}, 6},
                                          {{"", "requests"}, 5},
                                          {{"sectors", "/req."}, 1},
                                          {{"lines", "/req."}, 3},
                                          {{"bytes", "used"}},
                                          {{"wave-", "fronts"}, 4},
                                          {{"bank", "confl."}, 2}}};
using Cells = std::array<std::string, COLUMNS.size()>;

Cells cells_of(const AccessCounters& a) {
  const bool shared = is_shared(a.access);
  return {std::to_string(a.where.line),
          a.buffer,
          std::string(access_name(a.access)),
          std::to_string(a.bytes_per_lane),
          count(a.requests),
          shared ? "" : ratio(a.sectors, a.requests, 1, ""),
          shared ? "" : ratio(a.lines, a.requests, 1, ""),
          shared ? "" : ratio(a.bytes_used, a.bytes_fetched(), 100, " %"),
          shared ? count(a.wavefronts) : "",
          shared ? count(a.bank_conflicts) : ""};
}

// The columns and their widths, the same for all tables of a report.
class Layout {
 public:
  Layout(const std::vector<Cells>& rows, size_t columns) : table_({}, {}) {
    const int room = static_cast<int>(columns);
    for (const Column& c : COLUMNS)
      table_.columns.push_back(
          {.align = c.align, .rank = c.rank, .gap = table_.columns.empty() ? 0 : 1});
    for (const Cells& cells : rows) table_.make_room_for({cells.begin(), cells.end()});
    for (size_t i = 0; i < COLUMNS.size(); ++i) {
      text::Column& column = table_.columns[i];
      column.is_shown = column.width > 0;  // hides a column that is empty in all rows
      for (const char* part : COLUMNS[i].heading)
        column.width = std::max(column.width, text::display_width(part));
    }
    text::Column& buffer = table_.columns[BUFFER];
    const int longest_name = buffer.width;
    buffer.width = std::min(longest_name, NARROWEST_NAME);
    while (table_.width() > room && table_.leave_one_out()) {
    }
    buffer.width = std::clamp(buffer.width + room - table_.width(), buffer.width, longest_name);
  }

  std::string line(const Cells& cells) const {
    text::Table::Row row{cells.begin(), cells.end()};
    row[BUFFER].text = shortened(cells[BUFFER], static_cast<size_t>(table_.columns[BUFFER].width));
    return table_.line(row);
  }

  // Returns the headings above these rows. A column without entries has no heading.
  std::string headings(const std::vector<Cells>& rows) const {
    std::string lines;
    for (const size_t part : {0u, 1u}) {
      Cells cells;
      for (size_t i = 0; i < COLUMNS.size(); ++i) {
        const bool used = std::any_of(rows.begin(), rows.end(),
                                      [i](const Cells& row) { return !row[i].empty(); });
        if (used) cells[i] = COLUMNS[i].heading[part];
      }
      lines += line(cells);
    }
    return lines;
  }

 private:
  text::Table table_;
};

struct Table {
  const LaunchCounters* launch;
  std::vector<AccessCounters> rows;
  std::vector<Cells> cells;
};

std::string heading(const Table& table, size_t columns) {
  const LaunchCounters& launch = *table.launch;
  std::string which = ", launch " + std::to_string(launch.first);
  if (launch.times > 1) which += " (x " + std::to_string(launch.times) + ")";
  const bool in_one_file =
      !table.rows.empty() && table.rows.front().where.file == table.rows.back().where.file;
  if (in_one_file) {  // else each file's name is above its rows
    which = " in " + shortened(file_name(table.rows.front().where), columns / 3) + which;
  }
  return shortened_within(launch.kernel, columns - which.size()) + which + '\n';
}

std::string shape_and_room(const LaunchCounters& launch, size_t columns) {
  const std::string shape = "grid " + extent(launch.grid) + ", block " + extent(launch.block);
  const std::string room =
      counted(static_cast<uint64_t>(launch.registers_per_thread), "register") + ", " +
      std::to_string(launch.shared_bytes) + " bytes shared, " +
      counted(static_cast<uint64_t>(launch.blocks_per_multiprocessor), "block") + " an SM";
  const bool fits = shape.size() + 2 + room.size() <= columns;
  return shape + (fits ? "; " : "\n") + room + '\n';
}

std::string text_of(const Table& table, const Layout& layout, size_t columns) {
  std::string text = heading(table, columns) + shape_and_room(*table.launch, columns);
  for (const TensorCounters& row : table.launch->counters.tensor) {
    const std::string sums = row.sum == "f32" ? "" : " with sums in " + row.sum;
    const std::string unit = row.sum == "s32" ? " operations, at " : " FLOP, at ";
    text += wrapped("tensor cores: " + counted(row.warps, "product") + " in " + row.format + sums +
                        ", " + count(row.flops) + unit + file_name(row.where) + ":" +
                        std::to_string(row.where.line),
                    columns);
  }
  if (table.rows.empty()) return text + "no access to memory was counted\n";
  text += layout.headings(table.cells);
  const bool in_one_file = table.rows.front().where.file == table.rows.back().where.file;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const SourceLine& where = table.rows[i].where;
    if (!in_one_file && (i == 0 || table.rows[i - 1].where.file != where.file)) {
      text += "in " + shortened(file_name(where), columns - 3) + '\n';
    }
    text += layout.line(table.cells[i]);
  }
  return text;
}

}  // namespace

std::string report(const Counters& program, const std::vector<LaunchCounters>& launches,
                   int columns) {
  const size_t width = std::max(NARROWEST_REPORT, static_cast<size_t>(std::max(columns, 0)));
  std::string text = wrapped(
      "simulated GPU: " + counted(program.launches, "launch", "es") + ", " +
          counted(program.blocks, "block") + ", " + count(program.flops) + " FLOP" +
          (program.tensor_flops == 0 ? ""
                                     : ", and " + count(program.tensor_flops) + " on tensor cores"),
      width);
  if (launches.empty()) return text + "no kernel ran\n";
  text += wrapped(counted(program.warp_instructions, "warp instruction") + ", " +
                      ratio(program.lane_instructions, program.warp_instructions * 32, 100, " %") +
                      " of their lanes active",
                  width);

  if (program.repeats > 0) {
    text += wrapped(counted(program.repeats, "launch", "es") +
                        " had the arguments and the memory of an earlier one, and took its results",
                    width);
  }

  std::vector<Table> tables;
  std::vector<Cells> all_cells;
  uint64_t shown = 0;
  uint64_t kept = 0;
  for (const LaunchCounters& launch : launches) {
    kept += launch.times;
    if (tables.size() == MOST_SHOWN) continue;
    shown += launch.times;
    Table& table = tables.emplace_back(Table{&launch, rows_of(launch.counters), {}});
    for (const AccessCounters& row : table.rows) table.cells.push_back(cells_of(row));
    all_cells.insert(all_cells.end(), table.cells.begin(), table.cells.end());
  }
  const Layout layout(all_cells, width);
  for (const Table& table : tables) text += '\n' + text_of(table, layout, width);

  if (shown < program.launches) {
    text +=
        '\n' + wrapped(counted(program.launches - shown, "further launch", "es") +
                           ", unlike those above; SIMULATOR_REPORT=FILE.json lists " +
                           (kept == program.launches ? "all" : count(kept - shown)) + " of them",
                       width);
  }
  if (!all_cells.empty()) {
    text +=
        '\n' + wrapped(
                   "The figures are of one launch; (x 12) means 12 launches with the same figures. "
                   "A sector is 32 bytes, a line 128; both are counted for each request. Bytes "
                   "used is the share of the touched sectors' bytes that a lane asked for. A "
                   "wavefront is one pass over shared memory's 32 banks; bank conflicts are "
                   "the wavefronts beyond the fewest possible.",
                   width);
  }
  return text;
}

}  // namespace simulator::runtime
