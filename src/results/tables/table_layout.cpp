#include "results/tables/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/tables/table_cells.hpp"
#include "results/values/metrics.hpp"

namespace results {
ResultTable::ResultTable(const Run& run, std::vector<const Result*> rows, const Recorded& recorded,
                         const text::Signs& signs)
    : run_(run), rows_(std::move(rows)), recorded_(recorded), signs_(signs) {}

// ---- Columns.

void ResultTable::column(std::string group, std::string heading, Align align, int rank,
                         std::function<Cell(const Result&)> cell) {
  columns_.push_back(
      {{.group = std::move(group), .heading = std::move(heading), .align = align, .rank = rank},
       [this, cell = std::move(cell)](size_t i) { return cell(*rows_[i]); }});
}

void ResultTable::add(std::string group, std::string heading, Align align, int rank,
                      std::function<std::string(const Result&)> text) {
  column(std::move(group), std::move(heading), align, rank,
         [text = std::move(text)](const Result& r) { return Cell{text(r)}; });
}

void ResultTable::add_step(const char* spoken_name, int rank,
                           std::function<std::string(size_t row)> text) {
  columns_.push_back({{.align = Align::left, .rank = rank, .spoken_name = spoken_name},
                      [text = std::move(text)](size_t i) { return Cell{text(i)}; }});
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

// Returns no recorded result for an empty product: it has no speed, so there is no percentage to show.
RecordedResult ResultTable::starred(const Result& r) const {
  if (is_timed() || !r.refusal.empty() || r.who.number == 0 || (r.problem && r.problem->is_empty()))
    return {};
  return recorded_result(recorded_, r.who);
}

bool ResultTable::any_starred() const {
  return any([this](const Result& r) { return starred(r).result != nullptr; });
}

void ResultTable::add_starred(std::string group, const char* heading, const char* key, int rank,
                              std::function<std::string(double)> text) {
  add(std::move(group), heading, Align::right, rank,
      [this, key, text = std::move(text)](const Result& r) {
        const Result* there = starred(r).result;
        const auto figure = there == nullptr ? std::nullopt : value(*there, key);
        return figure ? text(*figure) : signs_.none;
      });
}

// Each row has its own date.
std::string ResultTable::starred_dates() const {
  std::string first, last;
  for (const Result* row : rows_) {
    const Result* const result = starred(*row).result;
    if (result == nullptr) continue;
    const std::string date = result->date.substr(0, 10);
    if (first.empty() || date < first) first = date;
    if (date > last) last = date;
  }
  return first == last ? "on " + first : "from " + first + " to " + last;
}

std::string ResultTable::starred_note(std::string (*size_of)(const Result&, const text::Signs&),
                                      const std::string& size_here) const {
  for (const Result* row : rows_) {
    const auto [run, result] = starred(*row);
    if (result == nullptr) continue;
    const std::string there = size_of(*result, signs_);
    const std::string here = size_here.empty() ? size_of(*row, signs_) : size_here;
    return fmt::format("* measured on an {} {}{}{}; all else is counted here{}{}", run->from.device,
                       starred_dates(), there.empty() ? "" : " at ", there,
                       here.empty() ? "" : ", at ", here);
  }
  return "";
}

// Removes a column without a heading and without an entry.
void ResultTable::drop_empty_columns() {
  const text::Table all = table({});
  size_t i = 0;
  std::erase_if(columns_,
                [&](const Column& c) { return all.columns[i++].width == 0 && c.heading.empty(); });
}

Cell ResultTable::correct(const Result& r, const char* right) const {
  if (!r.refusal.empty()) return {"refused"};
  if (!r.judged.correct || !r.judged.contract.empty() || !r.seen.hazards.empty())
    return {signs_.wrong, Tone::bad};
  return {right, Tone::good};
}

// ---- Above the table.

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
    if (timed->seen.timing->options.no_graph) parts.emplace_back("without graphs");
    if (const auto clock = value(*timed, "clock_mhz")) {
      parts.push_back(fmt::format("{:.2f} GHz{}", *clock / 1e3, all_trusted() ? " steady" : ""));
    }
  }
  parts.insert(parts.end(), details.begin(), details.end());
  return joined(parts, signs_);
}

const Result* ResultTable::first_timed() const {
  const auto found =
      std::ranges::find_if(rows_, [](const Result* r) { return r->seen.timing.has_value(); });
  return found == rows_.end() ? nullptr : *found;
}

bool ResultTable::all_trusted() const {
  return std::ranges::all_of(rows_, [](const Result* r) { return r->judged.trusted(); });
}

// ---- Text and Markdown.

std::vector<text::Table::Row> ResultTable::cells() const {
  std::vector<text::Table::Row> rows(rows_.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const Column& c : columns_) rows[i].push_back(c.cell(i));
  }
  return rows;
}

text::Table ResultTable::table(const text::Page& page) const {
  text::Table table({columns_.begin(), columns_.end()}, page);
  if (!table.columns.empty()) table.columns.front().gap = 1;
  for (const text::Table::Row& row : cells()) table.make_room_for(row);
  return table;
}

std::string ResultTable::text(const text::Page& page, std::vector<std::string>& left_out) const {
  text::Table table = this->table(page);
  table.fit(name_column_, left_out);
  std::string text = table.headings();
  for (const text::Table::Row& row : cells()) text += table.line(row);
  return text;
}

std::string ResultTable::markdown() const { return table({}).markdown(cells()); }

bool ResultTable::shows(std::string_view name, int width) const {
  text::Table table = this->table({.width = width});
  std::vector<std::string> left_out;
  table.fit(name_column_, left_out);
  return std::ranges::any_of(
      table.columns, [name](const text::Column& c) { return c.is_shown && c.name() == name; });
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
