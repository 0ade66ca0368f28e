// A table of results. Derived classes choose the columns: ladder_table.cpp, lab_table.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/tables/recorded.hpp"
#include "results/values/run.hpp"
#include "text/page.hpp"
#include "text/table.hpp"

namespace results {

using text::Align;
using text::Cell;
using text::Tone;

/// A column and its cells.
struct Column : text::Column {
  std::function<Cell(size_t row)> cell{};
};

/// A paragraph below a table; lines after the first are indented by `indent`.
struct Note {
  std::string text;
  int indent = 3;
};

class ResultTable {
 public:
  ResultTable(const Run& run, std::vector<const Result*> rows, const Recorded& recorded,
              const text::Signs& signs);
  virtual ~ResultTable() = default;
  ResultTable(const ResultTable&) = delete;
  ResultTable& operator=(const ResultTable&) = delete;

  /// Returns the lines above the table.
  virtual std::vector<std::string> heading() const = 0;
  /// Returns the notes right below the table, for a page of that width; 0: no limit.
  virtual std::vector<Note> notes(int width) const = 0;
  /// Returns the meaning of the stars, or nothing. `alone`: the page has no other table; `width`: the page's width, 0
  /// for no limit.
  virtual std::string footnote(bool alone, int width) const = 0;

  /// Renders the table. Adds the names of hidden columns to `left_out`.
  std::string text(const text::Page& page, std::vector<std::string>& left_out) const;
  std::string markdown() const;

 protected:
  bool is_timed() const { return run_.from.machine == Machine::cuda; }

  template <typename Condition>
  bool any(const Condition& condition) const {
    for (const Result* r : rows_) {
      if (condition(*r)) return true;
    }
    return false;
  }

  void column(std::string group, std::string heading, Align align, int rank,
              std::function<Cell(const Result&)> cell);
  void add(std::string group, std::string heading, Align align, int rank,
           std::function<std::string(const Result&)> text);
  /// Adds a column that compares a row with the one above it.
  void add_step(const char* spoken_name, int rank, std::function<std::string(size_t row)> text);
  /// Adds a metric's column; it is hidden if no row has the metric.
  void figure(const char* key, std::string group, std::string heading, int rank,
              std::string_view buffer = {});
  /// Adds the same under the metric's own heading, above the buffer's name if it has one.
  void figure(const char* key, int rank, std::string_view buffer = {});
  /// Adds a column of a share: "12.1 %".
  void add_share(const char* key, int rank);
  /// Adds a metric's column, formatted by `text`.
  void add_figure(const char* heading, const char* key, int rank,
                  std::function<std::string(double)> text);
  /// Adds a bar for a metric in per cent. A hidden bar is not named among the hidden columns.
  void add_bar(const char* key, int rank);
  void add_path(int rank);
  void add_promise(int rank);
  /// Adds each row's number of hazards, if any row was checked for them.
  void add_hazards(int rank);
  /// Adds each launched kernel's use of a multiprocessor, "254+40" for two. `of` returns the result whose launch is shown
  /// for a row; nullptr: none.
  void add_kernels(const std::string& heading, int rank, std::string (*cell_of)(const Kernel&),
                   std::function<const Result*(const Result&)> of);
  void drop_empty_columns();

  /// Returns the recorded result that stands in for a row without times; both pointers are nullptr if there is none.
  RecordedResult starred(const Result& r) const;
  bool any_starred() const;
  void add_starred(std::string group, const char* heading, const char* key, int rank,
                   std::function<std::string(double)> text);
  /// "on 2026-11-22" or "from 2026-11-22 to 2026-11-24", of the starred figures.
  std::string starred_dates() const;
  /// Returns the meaning of the stars, or nothing; `size_here` replaces the rows' own size.
  std::string starred_note(std::string (*size_of)(const Result&, const text::Signs&),
                           const std::string& size_here = "") const;

  /// True if the page has room for that column.
  bool shows(std::string_view name, int width) const;

  /// Returns the cell for right, wrong or refused; `right` is the text of a right result.
  Cell correct(const Result& r, const char* right) const;

  /// Returns the heading: machine, subject, way of measuring, details: "a · b · c".
  std::string heading_line(const std::vector<std::string>& subject,
                           const std::vector<std::string>& details) const;

  const Run& run_;
  std::vector<const Result*> rows_;
  const Recorded& recorded_;
  const text::Signs& signs_;
  std::vector<Column> columns_;
  size_t name_column_ = 0;  // this column is cut if even the columns of rank 0 do not fit

 private:
  const Result* first_timed() const;
  bool all_trusted() const;
  std::vector<text::Table::Row> cells() const;
  text::Table table(const text::Page& page) const;
};

/// Returns the table of rungs on one problem: each row against the row above it and against cuBLAS. All must outlive
/// the table.
std::unique_ptr<ResultTable> ladder_table(const Run& run, std::vector<const Result*> rows,
                                          const Recorded& recorded, const text::Signs& signs);
/// Returns the table of a lab: its variants side by side, under its question and above its answer.
std::unique_ptr<ResultTable> lab_table(const Run& run, std::vector<const Result*> rows,
                                       const Recorded& recorded, const text::Signs& signs);

/// Returns a kernel's use of a multiprocessor, as cells of add_kernels(); empty if unknown.
std::string registers_of(const Kernel& kernel);
std::string shared_kib_of(const Kernel& kernel);
std::string blocks_per_multiprocessor_of(const Kernel& kernel);

}  // namespace results
