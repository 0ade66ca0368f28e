#include "results/tables/acceptance_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "results/tables/table_cells.hpp"
#include "results/values/problem.hpp"
#include "text/foreign.hpp"
#include "text/table.hpp"

namespace results {
namespace {

using text::Align, text::Cell, text::Tone;

constexpr int MOST_OF_A_NAME = 24;  // columns of a host's name, which may have a long domain

// "8 GPUs", "1 host".
std::string counted(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool is_timed(const std::vector<JudgedGpu>& gpus) {
  return std::ranges::any_of(gpus, [](const JudgedGpu& gpu) {
    return std::ranges::any_of(gpu.rows,
                               [](const JudgedRow& row) { return row.quartiles_ms.has_value(); });
  });
}

bool is_counted(const std::vector<JudgedGpu>& gpus) {
  return !is_timed(gpus) &&
         std::ranges::any_of(gpus, [](const JudgedGpu& gpu) { return !gpu.rows.empty(); });
}

std::string size_of(const JudgedRow& row, const text::Signs& signs) {
  if (!row.M || !row.N || !row.K) return signs.none;
  return size_text(dense_problem(*row.M, *row.N, *row.K), signs);
}

std::set<std::string> sizes_of(const std::vector<JudgedGpu>& gpus, const text::Signs& signs) {
  std::set<std::string> sizes;
  for (const JudgedGpu& gpu : gpus)
    for (const JudgedRow& row : gpu.rows) sizes.insert(size_of(row, signs));
  return sizes;
}

// Returns the number of GPUs with each verdict: "7 OK, 1 SLOWER".
std::string tally(const std::vector<JudgedGpu>& gpus) {
  std::map<GpuVerdict, int> counts;
  for (const JudgedGpu& gpu : gpus) ++counts[gpu.verdict];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [verdict, count] : counts)
    parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Returns the devices, "8 GPUs on 2 hosts", the size if all rows have one, and the tally.
std::vector<std::string> heading(const std::vector<JudgedGpu>& gpus, const text::Signs& signs) {
  std::set<std::string> devices, hosts;
  for (const JudgedGpu& gpu : gpus) {
    if (!gpu.device.empty()) devices.insert(gpu.device);
    hosts.insert(gpu.host);
  }
  std::vector<std::string> facts;
  if (!devices.empty()) facts.push_back(fmt::format("{}", fmt::join(devices, ", ")));
  facts.push_back(counted(gpus.size(), "GPU") + " on " + counted(hosts.size(), "host"));
  if (const std::set<std::string> sizes = sizes_of(gpus, signs); sizes.size() == 1)
    facts.push_back(*sizes.begin());
  facts.push_back(tally(gpus));
  return facts;
}

Tone tone_of(GpuVerdict verdict) {
  if (verdict == GpuVerdict::ok) return Tone::good;
  return passes(verdict) ? Tone::plain : Tone::bad;
}

const JudgedRow NO_ROW{};

// A line of the table: a GPU and its worst row.
struct Line {
  const JudgedGpu& gpu;
  const JudgedRow& worst;  // NO_ROW if it has none
  const text::Signs& signs;

  // Returns the text of a value, or the sign for none.
  template <typename T, typename Text>
  std::string told(const std::optional<T>& value, const Text& text) const {
    return value ? text(*value) : std::string(signs.none);
  }
  std::string time(const std::optional<double>& ms) const {
    return told(ms, [this](double value) { return time_text(value, signs); });
  }
};

struct Column : text::Column {
  Cell (*cell)(const Line& line);
};

std::vector<Column> columns_for(const std::vector<JudgedGpu>& gpus) {
  std::vector<Column> columns;
  const auto add = [&](const char* name, Align align, int rank, auto cell) {
    columns.push_back({{.heading = name, .align = align, .rank = rank}, cell});
  };
  add("rank", Align::right, 0,
      [](const Line& line) -> Cell { return {std::to_string(line.gpu.rank)}; });
  add("host", Align::left, 0, [](const Line& line) -> Cell {
    return {text::shortened(line.gpu.host, MOST_OF_A_NAME, line.signs.ellipsis)};
  });
  add("GPU", Align::left, 2, [](const Line& line) -> Cell {
    return {text::shortened(line.gpu.gpu, MOST_OF_A_NAME, line.signs.ellipsis)};
  });
  if (std::ranges::any_of(gpus, [](const JudgedGpu& gpu) { return worst_row(gpu) != nullptr; }))
    add("worst row", Align::left, 3, [](const Line& line) -> Cell {
      return {line.worst.kernel.empty() ? line.signs.none : line.worst.kernel};
    });
  if (sizes_of(gpus, text::Signs(false)).size() > 1)
    add("size", Align::left, 3,
        [](const Line& line) -> Cell { return {size_of(line.worst, line.signs)}; });
  if (is_timed(gpus)) {
    add("time   ", Align::right, 4, [](const Line& line) -> Cell {
      const auto& quartiles = line.worst.quartiles_ms;
      return {line.time(quartiles ? std::optional((*quartiles)[1]) : std::nullopt)};
    });
    add("median ", Align::right, 5,
        [](const Line& line) -> Cell { return {line.time(line.worst.compared.base_ms)}; });
    add("clock", Align::right, 6, [](const Line& line) -> Cell {
      return {line.told(line.worst.clock_mhz,
                        [](double mhz) { return fmt::format("{:.0f} MHz", mhz); })};
    });
    add("change", Align::right, 1, [](const Line& line) -> Cell {
      return {line.told(line.worst.compared.change_percent,
                        [](double percent) { return fmt::format("{:+.1f} %", percent); })};
    });
  }
  add("verdict", Align::left, 0, [](const Line& line) -> Cell {
    return {name_of(line.gpu.verdict), tone_of(line.gpu.verdict)};
  });
  return columns;
}

// The table, and its rows.
struct Laid {
  text::Table table;
  std::vector<text::Table::Row> rows;
};

Laid laid_out(const std::vector<JudgedGpu>& gpus, const text::Page& page) {
  const text::Signs signs(page.unicode);
  const std::vector<Column> columns = columns_for(gpus);
  Laid laid{.table = text::Table({columns.begin(), columns.end()}, page), .rows = {}};
  for (const JudgedGpu& gpu : gpus) {
    text::Table::Row& row = laid.rows.emplace_back();
    const JudgedRow* const worst = worst_row(gpu);
    const Line line{gpu, worst == nullptr ? NO_ROW : *worst, signs};
    for (const Column& column : columns) row.push_back(column.cell(line));
    laid.table.make_room_for(row);
  }
  return laid;
}

// Returns a paragraph for each GPU that is not OK, and one on what the table compares.
std::vector<std::string> notes_on(const std::vector<JudgedGpu>& gpus) {
  std::vector<std::string> notes;
  for (const JudgedGpu& gpu : gpus) {
    if (gpu.verdict != GpuVerdict::ok)
      notes.push_back(fmt::format("{} is {}: {}", name_of(gpu), name_of(gpu.verdict),
                                  fmt::join(gpu.reasons, "; ")));
  }
  if (is_counted(gpus))
    notes.emplace_back("the rows were counted and not timed, so nothing is said of their speed");
  return notes;
}

}  // namespace

std::string to_table(const std::vector<JudgedGpu>& gpus, const text::Page& page) {
  const auto paragraph = [&](const std::string& text, int indent) {
    return text::wrap(text, page.width, indent) + "\n";
  };
  const text::Signs signs(page.unicode);
  Laid laid = laid_out(gpus, page);
  constexpr size_t HOST = 1;  // the column that is cut if nothing else helps
  std::vector<std::string> left_out;
  laid.table.fit(HOST, left_out);
  std::string text = paragraph(joined(heading(gpus, signs), signs), 2);
  text += laid.table.headings();
  for (const text::Table::Row& row : laid.rows) text += laid.table.line(row);
  if (!left_out.empty()) text += paragraph(" " + text::not_shown(left_out), 3);
  for (const std::string& note : notes_on(gpus)) text += paragraph(" " + note, 3);
  return text;
}

std::string to_markdown(const std::vector<JudgedGpu>& gpus) {
  const text::Signs signs(true);
  const Laid laid = laid_out(gpus, {.unicode = true});
  std::string text = text::in_markdown(joined(heading(gpus, signs), signs)) + "\n\n" +
                     laid.table.markdown(laid.rows);
  for (const std::string& note : notes_on(gpus)) text += "\n" + text::in_markdown(note) + "\n";
  return text;
}

}  // namespace results
