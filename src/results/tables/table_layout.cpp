#include "results/tables/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/tables/table_cells.hpp"
#include "results/values/metrics.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

std::string pad(const std::string& text, int width, Align align) {
  return align == Align::left ? text::pad_right(text, width) : text::pad_left(text, width);
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : without_trailing_space(text.substr(first));
}
}  // namespace

std::string Column::name() const {
  if (!spoken_name.empty()) return spoken_name;
  return group.empty() || heading.empty() ? group + heading : group + " " + heading;
}

ResultTable::ResultTable(const Run& run, std::vector<const Result*> rows, const text::Signs& signs)
    : run_(run), rows_(std::move(rows)), signs_(signs) {}

// ---- Columns.

void ResultTable::column(std::string group, std::string heading, Align align, int rank,
                         std::function<Cell(const Result&)> cell) {
  columns_.push_back({std::move(group), std::move(heading), align, rank,
                      [this, cell = std::move(cell)](size_t i) { return cell(*rows_[i]); }});
}

void ResultTable::add(std::string group, std::string heading, Align align, int rank,
                      std::function<std::string(const Result&)> text) {
  column(std::move(group), std::move(heading), align, rank,
         [text = std::move(text)](const Result& r) { return Cell{text(r)}; });
}

void ResultTable::add_step(const char* spoken_name, int rank,
                           std::function<std::string(size_t row)> text) {
  columns_.push_back({"", "", Align::left, rank,
                      [text = std::move(text)](size_t i) { return Cell{text(i)}; }, spoken_name});
}

void ResultTable::figure(const char* key, std::string group, std::string heading, int rank,
                         std::string_view buffer) {
  const Metric& m = metric(key);
  const auto of = [this, &m, buffer = std::string(buffer)](const Result& r) {
    return m.value(r, buffer, run_.from.roofs);
  };
  if (!any([&](const Result& r) { return of(r).has_value(); })) return;
  const std::string unit = m.unit;
  add(std::move(group), std::move(heading), Align::right, rank,
      [this, of, &m, unit](const Result& r) {
        const auto value = of(r);
        if (!value) return std::string(signs_.none);
        return decimal(*value, m.precision) + (unit.empty() ? "" : " " + unit);
      });
}

void ResultTable::figure(const char* key, int rank, std::string_view buffer) {
  const Metric& m = metric(key);
  if (buffer.empty()) {
    figure(key, "", m.heading, rank);
  } else {
    figure(key, m.heading, std::string(buffer), rank, buffer);
  }
}

void ResultTable::add_share(const char* key, int rank) {
  const auto of = [key](const Result& r) { return value(r, key); };
  if (!any([&](const Result& r) { return of(r).has_value(); })) return;
  add("", metric(key).heading, Align::right, rank, [this, of](const Result& r) {
    const auto share = of(r);
    return share ? fmt::format("{:.1f} %", *share * 100) : std::string(signs_.none);
  });
}

void ResultTable::add_figure(const char* heading, const char* key, int rank,
                             std::function<std::string(double)> text) {
  add("", heading, Align::right, rank, [this, key, text = std::move(text)](const Result& r) {
    const auto figure = value(r, key);
    return figure ? text(*figure) : std::string(signs_.none);
  });
}

void ResultTable::add_bar(const char* key, int rank) {
  add("", "", Align::left, rank,
      [this, key](const Result& r) { return bar(value(r, key).value_or(0), signs_); });
}

void ResultTable::add_path(int rank) {
  if (!any([](const Result& r) { return !r.path.empty(); })) return;
  add("", "path", Align::left, rank,
      [this](const Result& r) { return r.path.empty() ? signs_.none : r.path; });
}

void ResultTable::add_promise(int rank) {
  if (!any([](const Result& r) { return !r.judged.claims.empty(); })) return;
  column("", "promise", Align::left, rank, [this](const Result& r) -> Cell {
    if (r.judged.claims.empty()) return {signs_.none};
    return r.judged.promise_kept() ? Cell{"kept", Tone::good} : Cell{"BROKEN", Tone::bad};
  });
}

void ResultTable::add_hazards(int rank) {
  if (!any([](const Result& r) { return r.seen.looked_for_hazards; })) return;
  column("", "hazards", Align::left, rank, [this](const Result& r) -> Cell {
    if (!r.seen.looked_for_hazards) return {signs_.none};
    if (r.seen.hazards.empty()) return {"none", Tone::good};
    return {std::to_string(r.seen.hazards.size()), Tone::bad};
  });
  columns_.back().is_told_below = true;
}

void ResultTable::add_kernels(const std::string& heading, int rank,
                              std::string (*cell_of)(const Kernel&),
                              std::function<const Result*(const Result&)> of) {
  const auto all = [cell_of, of = std::move(of)](const Result& r) {
    std::vector<std::string> parts;
    const Result* launched = of(r);
    if (launched == nullptr) return std::string();
    for (const Kernel& k : launched->seen.kernels) {
      if (const std::string part = cell_of(k); !part.empty()) parts.push_back(part);
    }
    return fmt::format("{}", fmt::join(parts, "+"));
  };
  if (!any([&](const Result& r) { return !all(r).empty(); })) return;
  add("", heading, Align::right, rank, [this, all](const Result& r) {
    const std::string cell = all(r);
    return cell.empty() ? std::string(signs_.none) : cell;
  });
}

// Nothing to say in any row, and no heading: nobody misses it.
void ResultTable::drop_empty_columns() {
  std::erase_if(columns_,
                [this](const Column& c) { return c.heading.empty() && width_of(c) == 0; });
}

Cell ResultTable::correct(const Result& r, const char* right) const {
  if (!r.refusal.empty()) return {"refused"};
  if (!r.judged.correct || !r.judged.contract.empty() || !r.seen.hazards.empty())
    return {signs_.wrong, Tone::bad};
  return {right, Tone::good};
}

// ---- What stands over the table.

std::string ResultTable::heading_line(const std::vector<std::string>& subject,
                                      const std::vector<std::string>& details) const {
  std::vector<std::string> parts{"simulated GPU (no CUDA device)"};
  if (is_timed()) parts = {run_.from.device, run_.from.device_detail};
  parts.insert(parts.end(), subject.begin(), subject.end());
  if (!is_timed()) {
    parts.emplace_back("every block counted");
    const uint64_t schedule = run_.from.schedule.value_or(0);
    if (schedule != 0) parts.push_back(fmt::format("schedule {}", schedule));
  } else if (const Result* timed = first_timed(); timed != nullptr && timed->seen.timing) {
    parts.emplace_back(timed->seen.timing->options.cold ? "cold" : "warm");
    if (const auto clock = value(*timed, "clock_mhz")) {
      parts.push_back(fmt::format("{:.2f} GHz{}", *clock / 1e3, all_trusted() ? " steady" : ""));
    }
  }
  parts.insert(parts.end(), details.begin(), details.end());
  return fmt::format("{}", fmt::join(parts, fmt::format(" {} ", signs_.dot)));
}

const Result* ResultTable::first_timed() const {
  const auto found =
      std::ranges::find_if(rows_, [](const Result* r) { return r->seen.timing.has_value(); });
  return found == rows_.end() ? nullptr : *found;
}

bool ResultTable::all_trusted() const {
  return std::ranges::all_of(rows_, [](const Result* r) { return r->judged.trusted(); });
}

// ---- On a page.

std::string ResultTable::text(const text::Page& page, std::vector<std::string>& left_out) const {
  const std::vector<Column> columns = fitting(page.width, left_out);
  std::string text;
  if (std::ranges::any_of(columns, [](const Column& c) { return !c.group.empty(); }))
    text += groups(columns);
  text += line(columns, page, [](const Column& c) { return Cell{c.heading}; });
  for (size_t i = 0; i < rows_.size(); ++i) {
    text += line(columns, page, [i](const Column& c) { return c.cell(i); });
  }
  return text;
}

std::string ResultTable::markdown() const {
  std::string text = "|";
  for (const Column& c : columns_)
    text += c.heading.empty() ? " |" : fmt::format(" {} |", text::in_markdown(trimmed(c.name())));
  text += "\n|";
  for (const Column& c : columns_) text += c.align == Align::left ? " --- |" : " ---: |";
  text += "\n";
  for (size_t i = 0; i < rows_.size(); ++i) {
    text += "|";
    for (const Column& c : columns_) {
      const std::string cell = trimmed(c.cell(i).text);
      text += cell.empty() ? " |" : fmt::format(" {} |", text::in_markdown(cell));
    }
    text += "\n";
  }
  return text;
}
int ResultTable::width_of(const Column& c) const {
  int width = std::max(c.least_width, text::display_width(c.heading));
  for (size_t i = 0; i < rows_.size(); ++i)
    width = std::max(width, text::display_width(c.cell(i).text));
  return width;
}

// A group's heading may begin further left than its columns, unless another group's stands there.
void ResultTable::widen_groups(std::vector<Column>& columns) const {
  for (Column& c : columns) c.least_width = 0;
  for (size_t first = 0, end = 0; first < columns.size(); first = end) {
    int width = -2;
    for (; end < columns.size() && columns[end].group == columns[first].group; ++end)
      width += width_of(columns[end]) + 2;
    const bool behind_another = first > 0 && !columns[first - 1].group.empty();
    const int lack = text::display_width(columns[first].group) - width;
    if (behind_another && lack > 0) columns[first].least_width = width_of(columns[first]) + lack;
  }
}

// The columns that fit into `width`, names shortened if even those of rank 0 do not.
std::vector<Column> ResultTable::fitting(int width, std::vector<std::string>& left_out) const {
  std::vector<Column> columns = columns_;
  const auto total = [&] {
    widen_groups(columns);
    int sum = 0;
    for (const Column& c : columns) sum += width_of(c) + 2;
    return sum;
  };
  while (width > 0 && total() - 1 > width) {
    const auto last = std::ranges::max_element(columns, std::ranges::less_equal{}, &Column::rank);
    if (last->rank == 0) break;
    const std::string name = trimmed(last->name());
    if (!name.empty() && !last->is_told_below &&
        std::ranges::find(left_out, name) == left_out.end())
      left_out.push_back(name);
    columns.erase(last);
  }
  const int overall = total();
  const int excess = width > 0 ? overall - 1 - width : 0;
  if (excess > 0)
    shorten(columns[name_column_], std::max(4, width_of(columns[name_column_]) - excess));
  return columns;
}

void ResultTable::shorten(Column& column, int width) const {
  column.cell = [this, width, cell = column.cell](size_t i) {
    Cell whole = cell(i);
    whole.text = text::shortened(whole.text, width, signs_.ellipsis);
    return whole;
  };
}

// The line of group headings: each over its columns, or where they are narrower beginning further left.
std::string ResultTable::groups(const std::vector<Column>& columns) const {
  std::string text;
  int right = 0;  // end of the columns so far
  for (size_t i = 0; i < columns.size(); ++i) {
    right += width_of(columns[i]) + (i == 0 ? 1 : 2);
    const std::string& group = columns[i].group;
    const bool last_of_group = i + 1 == columns.size() || columns[i + 1].group != group;
    if (group.empty() || !last_of_group) continue;
    text = pad(text, std::max(0, right - text::display_width(group)), Align::left);
    text += group;
  }
  return text + "\n";
}

std::string ResultTable::line(const std::vector<Column>& columns, const text::Page& page,
                              const std::function<Cell(const Column&)>& cell_of) const {
  std::string text;
  for (const Column& column : columns) {
    const Cell cell = cell_of(column);
    const std::string padded = pad(cell.text, width_of(column), column.align);
    const char* color = !page.color               ? ""
                        : cell.tone == Tone::good ? "\033[32m"
                        : cell.tone == Tone::bad  ? "\033[31m"
                                                  : "";
    text += (text.empty() ? " " : "  ") + (*color ? color + padded + "\033[0m" : padded);
  }
  return without_trailing_space(text) + "\n";
}
bool ResultTable::shows(std::string_view name, int width) const {
  std::vector<std::string> left_out;
  return std::ranges::any_of(fitting(width, left_out),
                             [name](const Column& c) { return c.name() == name; });
}

// ---- Cells of add_kernels().

std::string registers_of(const Kernel& kernel) {
  return kernel.registers ? std::to_string(*kernel.registers) : "";
}

std::string shared_kib_of(const Kernel& kernel) {
  return kernel.shared_bytes
             ? fmt::format("{:.4g}", static_cast<double>(*kernel.shared_bytes) / 1024)
             : "";
}

std::string blocks_per_multiprocessor_of(const Kernel& kernel) {
  return kernel.blocks_per_multiprocessor ? std::to_string(*kernel.blocks_per_multiprocessor) : "";
}

}  // namespace results
