// A table of results. What the columns are is said by those that derive from it: ladder_table.cpp, lab_table.cpp.
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

/// A column and what stands in it.
struct Column : text::Column {
  std::function<Cell(size_t row)> cell{};
};

/// A paragraph below a table; its lines after the first begin so far to the right.
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

  /// What stands over the table, a line each.
  virtual std::vector<std::string> heading() const = 0;
  /// What stands right below it on a page of that width, 0 for no limit.
  virtual std::vector<Note> notes(int width) const = 0;
  /// What the stars mean, or nothing. `alone`: no other table stands beside this one.
  virtual std::string footnote(bool alone) const = 0;

  /// The names of the columns that the page has no room for are added to `left_out`.
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
  /// A column for what a row says only beside the one above it.
  void add_step(const char* spoken_name, int rank, std::function<std::string(size_t row)> text);
  /// A figure of THE list; not shown where no row has it.
  void figure(const char* key, std::string group, std::string heading, int rank,
              std::string_view buffer = {});
  /// The same under the metric's own heading: over the buffer's name, where it is of one buffer.
  void figure(const char* key, int rank, std::string_view buffer = {});
  /// "12.1 %" of a metric that is a share.
  void add_share(const char* key, int rank);
  /// A figure of THE list as `text` writes it.
  void add_figure(const char* heading, const char* key, int rank,
                  std::function<std::string(double)> text);
  /// A bar of a metric in per cent, which nobody misses by name.
  void add_bar(const char* key, int rank);
  void add_path(int rank);
  void add_promise(int rank);
  /// How many hazards each row has, where any was looked at for them.
  void add_hazards(int rank);
  /// What each kernel of a launch takes of a multiprocessor, "254+40" for two; `of` says whose launch stands in for a
  /// row's, nullptr for none.
  void add_kernels(const std::string& heading, int rank, std::string (*cell_of)(const Kernel&),
                   std::function<const Result*(const Result&)> of);
  void drop_empty_columns();

  /// What stands in for a row that was not timed, and a column of it.
  RecordedResult starred(const Result& r) const;
  bool any_starred() const;
  void add_starred(std::string group, const char* heading, const char* key,
                   std::function<std::string(double)> text);
  /// What the stars mean, or nothing; `size_here` is said in place of a row's own.
  std::string starred_note(std::string (*size_of)(const Result&, const text::Signs&),
                           const std::string& size_here = "") const;

  /// Whether the page has room for that column.
  bool shows(std::string_view name, int width) const;

  /// Right, wrong, or refused; `right` stands for what is.
  Cell correct(const Result& r, const char* right) const;

  /// Machine, subject, how it was measured, and what else there is to say: "a · b · c".
  std::string heading_line(const std::vector<std::string>& subject,
                           const std::vector<std::string>& details) const;

  const Run& run_;
  std::vector<const Result*> rows_;
  const Recorded& recorded_;
  const text::Signs& signs_;
  std::vector<Column> columns_;
  size_t name_column_ = 0;  // that is cut where even the columns of rank 0 do not fit

 private:
  const Result* first_timed() const;
  bool all_trusted() const;
  std::vector<text::Table::Row> cells() const;
  text::Table table(const text::Page& page) const;
};

/// The table of rungs on one problem: each row against the one above it and against cuBLAS. All must outlive the table.
std::unique_ptr<ResultTable> ladder_table(const Run& run, std::vector<const Result*> rows,
                                          const Recorded& recorded, const text::Signs& signs);
/// The table of a lab: its variants side by side, under its question and above its answer.
std::unique_ptr<ResultTable> lab_table(const Run& run, std::vector<const Result*> rows,
                                       const Recorded& recorded, const text::Signs& signs);

/// What a kernel takes of a multiprocessor, as cells of add_kernels(); empty where it is not known.
std::string registers_of(const Kernel& kernel);
std::string shared_kib_of(const Kernel& kernel);
std::string blocks_per_multiprocessor_of(const Kernel& kernel);

}  // namespace results
