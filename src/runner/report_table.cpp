// Results for people: the table on the terminal and its Markdown form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "runner/command_line.hpp"
#include "runner/machine.hpp"
#include "runner/promise.hpp"
#include "runner/report.hpp"

namespace runner {
namespace {

// The signs that a terminal without UTF-8 lacks, each with what stands in for it.
struct Signs {
  explicit Signs(bool unicode)
      : dot(unicode ? "·" : "-"),
        right(unicode ? "✓" : "ok"),
        wrong(unicode ? "✗" : "WRONG"),
        cube(unicode ? "³" : "^3"),
        times(unicode ? "×" : "x"),
        micro(unicode ? "µ" : "u"),
        none(unicode ? "–" : "-"),
        ellipsis(unicode ? "…" : "~"),
        blocks(unicode) {}

  const char *dot, *right, *wrong, *cube, *times, *micro, *none, *ellipsis;
  bool blocks;  // eighths of a block for the bars
};

enum class Align { left, right };
enum class Tone { plain, good, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

// Where the terminal is narrow the columns with the highest rank go first; rank 0 stays.
struct Column {
  std::string heading;
  Align align = Align::right;
  int rank = 0;
  std::function<Cell(size_t row)> cell;
};

std::string pad(const std::string& text, int width, Align align) {
  const std::string space(static_cast<size_t>(std::max(0, width - display_width(text))), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// 3 significant digits, so that the decimal points of a column stand in line: "275   ", " 22.0 ".
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text + std::string(static_cast<size_t>(decimals == 0 ? 3 : 2 - decimals), ' ');
}

std::string time(double ms, const Signs& signs) {
  return ms < 0.9995 ? fmt::format("{} {}s", three_digits(ms * 1e3), signs.micro)
                     : fmt::format("{} ms", three_digits(ms));
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  if (value < 99.5) return fmt::format("{:.1f}", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ' ');
  }
  return digits;
}

// 20 cells are 100 %; what is beyond 125 % is cut.
std::string bar(double percent, const Signs& signs) {
  static constexpr const char* EIGHTHS[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<int>(std::lround(std::clamp(percent, 0.0, 125.0) / 100 * 20 * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += signs.blocks ? "█" : "#";
  if (signs.blocks) text += EIGHTHS[eighths % 8];
  return text;
}

std::string size_text(const Problem& p, const Signs& signs) {
  if (p.is_square()) return fmt::format("{}{}", p.M, signs.cube);
  return fmt::format("{}{}{}{}{}", p.M, signs.times, p.N, signs.times, p.K);
}

const char* reference_word(const Row& row) { return row.rung->number == 0 ? "ref" : nullptr; }

class Table {
 public:
  Table(const Report& report, std::vector<const Row*> rows, const std::optional<Baseline>& baseline,
        const Signs& signs)
      : report_(report), rows_(std::move(rows)), baseline_(baseline), signs_(signs) {
    add("#", Align::right, 0, [](const Row& r) { return Cell{std::to_string(r.rung->number)}; });
    add("kernel", Align::left, 0, [](const Row& r) { return Cell{r.rung->name}; });
    add("correct", Align::left, 0, [this](const Row& r) { return correct(r); });
    if (std::ranges::any_of(rows_, [](const Row* r) { return r->path != nullptr; })) {
      add("path", Align::left, 6,
          [this](const Row& r) { return Cell{r.path ? r.path : signs_.none}; });
    }
    if (machine::measures_time) {
      add_timing();
    } else {
      add_traffic();
    }
  }

  std::string heading() const {
    const Problem& p = rows_.front()->problem;
    std::vector<std::string> parts;
    if (machine::measures_time) {
      parts = {report_.device, report_.detail, size_text(p, signs_) + " FP32"};
      if (const Timing* timing = first_timing()) {
        parts.emplace_back(timing->options.cold ? "cold" : "warm");
        if (timing->clock_mhz) {
          parts.push_back(fmt::format("{:.2f} GHz{}", *timing->clock_mhz / 1e3,
                                      all_trusted() ? " steady" : ""));
        }
      }
    } else {
      parts = {"simulated GPU (no CUDA device here)", size_text(p, signs_) + " FP32",
               "every block counted"};
    }
    if (p.alpha != 1.0f || p.beta != 0.0f)
      parts.push_back(fmt::format("alpha {} beta {}", p.alpha, p.beta));
    if (!p.is_dense()) parts.push_back(fmt::format("lda {} ldb {} ldc {}", p.lda, p.ldb, p.ldc));
    return fmt::format("{}", fmt::join(parts, fmt::format(" {} ", signs_.dot)));
  }

  std::string footnote() const {
    if (machine::measures_time || !baseline_) return "";
    const Problem size = parse_size(baseline_->size);
    return fmt::format("* measured on an {} on {} at {}; this machine has no GPU",
                       baseline_->device, baseline_->date, size_text(size, signs_));
  }

  std::string text(const Terminal& terminal) const {
    const std::vector<Column> columns = fitting(terminal.width);
    std::string text = line(columns, terminal, [](const Column& c) { return Cell{c.heading}; });
    for (size_t i = 0; i < rows_.size(); ++i) {
      text += line(columns, terminal, [i](const Column& c) { return c.cell(i); });
    }
    return text;
  }

  std::string markdown() const {
    std::string text = "|";
    for (const Column& c : columns_) text += fmt::format(" {} |", c.heading);
    text += "\n|";
    for (const Column& c : columns_) text += c.align == Align::left ? " --- |" : " ---: |";
    text += "\n";
    for (size_t i = 0; i < rows_.size(); ++i) {
      text += "|";
      for (const Column& c : columns_) {
        const std::string cell = c.cell(i).text;
        const size_t first = cell.find_first_not_of(' ');
        text += first == cell.npos
                    ? " |"
                    : fmt::format(" {} |", without_trailing_space(cell.substr(first)));
      }
      text += "\n";
    }
    return text;
  }

 private:
  void add(std::string heading, Align align, int rank, std::function<Cell(const Row&)> cell) {
    columns_.push_back({std::move(heading), align, rank,
                        [this, cell = std::move(cell)](size_t i) { return cell(*rows_[i]); }});
  }

  Cell correct(const Row& r) const {
    if (!r.verdict.correct) return {signs_.wrong, Tone::bad};
    const char* word = reference_word(r);
    return {word != nullptr ? word : signs_.right, Tone::good};
  }

  void add_timing() {
    const auto timed = [this](auto text) {
      return [this, text](const Row& r) { return Cell{r.timing ? text(*r.timing) : signs_.none}; };
    };
    add("time   ", Align::right, 0,
        timed([this](const Timing& t) { return time(t.median_ms, signs_); }));
    add("IQR", Align::right, 4,
        timed([](const Timing& t) { return fmt::format("{:.1f} %", t.spread() * 100); }));
    add("GFLOP/s", Align::right, 1, timed([](const Timing& t) { return grouped(t.gflops); }));
    add("% peak", Align::right, 3,
        timed([this](const Timing& t) { return percent(t.percent_of_peak); }));
    add("% cuBLAS", Align::right, 0,
        timed([this](const Timing& t) { return percent(t.percent_of_cublas); }));
    add("", Align::left, 5,
        timed([this](const Timing& t) { return bar(t.percent_of_cublas.value_or(0), signs_); }));
    columns_.push_back({"", Align::left, 7, [this](size_t i) { return Cell{step(i)}; }});
  }

  void add_traffic() {
    const auto counted = [this](auto text) {
      return
          [this, text](const Row& r) { return Cell{r.traffic ? text(*r.traffic) : signs_.none}; };
    };
    add("promise", Align::left, 4, [this](const Row& r) { return promise(r); });
    add("sectors/request", Align::right, 3, counted([](const Traffic& t) {
          return fmt::format("{:.1f}", t.load_sectors_per_request);
        }));
    for (const char matrix : {'A', 'B', 'C'}) {
      add(std::string(1, matrix), Align::right, 1,
          counted([this, matrix](const Traffic& t) { return sectors(t, matrix); }));
    }
    add("bytes used", Align::right, 2, counted([](const Traffic& t) {
          return fmt::format("{:.1f} %", t.bytes_used_over_fetched * 100);
        }));
    add("FLOP/byte", Align::right, 5,
        counted([](const Traffic& t) { return fmt::format("{:.2g}", t.flops_per_byte); }));
    if (!baseline_) return;
    add("% cuBLAS *", Align::right, 0, [this](const Row& r) {
      const auto found = baseline_->percent_of_cublas.find(r.rung->name);
      const bool known = found != baseline_->percent_of_cublas.end();
      return Cell{known ? fmt::format("{:.1f}", found->second) : signs_.none};
    });
  }

  Cell promise(const Row& r) const {
    if (!r.traffic || r.traffic->promise.empty()) return {signs_.none};
    return r.traffic->promise_kept() ? Cell{"kept", Tone::good} : Cell{"BROKEN", Tone::bad};
  }

  // What a warp's load from A or B, or its store to C, touches.
  std::string sectors(const Traffic& traffic, char matrix) const {
    const std::string what = fmt::format("{} {}", matrix == 'C' ? "store" : "load", matrix);
    for (const auto& [key, value] : traffic.sectors_per_request) {
      if (key == what) return fmt::format("{:.1f}", value);
    }
    return signs_.none;
  }

  std::string percent(const std::optional<double>& value) const {
    return value ? fmt::format("{:.1f}", *value) : signs_.none;
  }

  // How much faster than the row above, the reference not counted.
  std::string step(size_t i) const {
    if (i == 0 || rows_[i - 1]->rung->number == 0) return "";
    const std::optional<Timing>& above = rows_[i - 1]->timing;
    const std::optional<Timing>& here = rows_[i]->timing;
    if (!above || !here) return "";
    const double ratio = above->median_ms / here->median_ms;
    const bool faster = ratio >= 1;
    const double factor = faster ? ratio : 1 / ratio;
    return fmt::format("{:.{}f}{} {} than {}", factor, factor >= 2 ? 1 : 2, signs_.times,
                       faster ? "faster" : "slower", rows_[i - 1]->rung->number);
  }

  const Timing* first_timing() const {
    for (const Row* row : rows_) {
      if (row->timing) return &*row->timing;
    }
    return nullptr;
  }
  bool all_trusted() const {
    return std::ranges::all_of(rows_,
                               [](const Row* r) { return !r->timing || r->timing->trusted(); });
  }

  int width_of(const Column& c) const {
    int width = display_width(c.heading);
    for (size_t i = 0; i < rows_.size(); ++i)
      width = std::max(width, display_width(c.cell(i).text));
    return width;
  }

  // The columns that fit into `width`, names shortened if even those of rank 0 do not.
  std::vector<Column> fitting(int width) const {
    std::vector<Column> columns = columns_;
    const auto total = [&] {
      int sum = 0;
      for (const Column& c : columns) sum += width_of(c) + 2;
      return sum;
    };
    while (width > 0 && total() - 1 > width) {
      const auto last = std::ranges::max_element(columns, std::ranges::less_equal{}, &Column::rank);
      if (last->rank == 0) break;
      columns.erase(last);
    }
    const int excess = width > 0 ? total() - 1 - width : 0;
    if (excess > 0) shorten(columns[1], std::max(4, width_of(columns[1]) - excess));
    return columns;
  }

  void shorten(Column& column, int width) const {
    column.cell = [this, width, cell = column.cell](size_t i) {
      Cell whole = cell(i);
      if (display_width(whole.text) > width) {
        whole.text = whole.text.substr(0, static_cast<size_t>(width - 1)) + signs_.ellipsis;
      }
      return whole;
    };
  }

  std::string line(const std::vector<Column>& columns, const Terminal& terminal,
                   const std::function<Cell(const Column&)>& cell_of) const {
    std::string text;
    for (const Column& column : columns) {
      const Cell cell = cell_of(column);
      const std::string padded = pad(cell.text, width_of(column), column.align);
      const char* color = !terminal.color           ? ""
                          : cell.tone == Tone::good ? "\033[32m"
                          : cell.tone == Tone::bad  ? "\033[31m"
                                                    : "";
      text += (text.empty() ? " " : "  ") + (*color ? color + padded + "\033[0m" : padded);
    }
    return without_trailing_space(text) + "\n";
  }

  const Report& report_;
  std::vector<const Row*> rows_;
  const std::optional<Baseline>& baseline_;
  const Signs& signs_;
  std::vector<Column> columns_;
};

// Neighbouring rows about the same problem share a table.
std::vector<std::vector<const Row*>> by_problem(const Report& report) {
  std::vector<std::vector<const Row*>> groups;
  for (const Row& row : report.rows) {
    if (groups.empty() || groups.back().front()->problem.size() != row.problem.size())
      groups.emplace_back();
    groups.back().push_back(&row);
  }
  return groups;
}

std::string title(const Row& row) {
  return fmt::format("{} {} at {}", row.rung->number, row.rung->name, row.problem.size());
}

}  // namespace

std::string to_table(const Report& report, const std::optional<Baseline>& baseline,
                     const Terminal& terminal) {
  const Signs signs(terminal.unicode);
  std::string text;
  std::string footnote;
  for (auto& rows : by_problem(report)) {
    const Table table(report, std::move(rows), baseline, signs);
    text += (text.empty() ? "" : "\n") + wrap(table.heading(), terminal.width, 2) + "\n" +
            table.text(terminal);
    footnote = table.footnote();
  }
  return footnote.empty() ? text : text + wrap(" " + footnote, terminal.width, 3) + "\n";
}

std::string to_markdown(const Report& report, const std::optional<Baseline>& baseline) {
  const Signs signs(true);
  std::string text;
  std::string footnote;
  for (auto& rows : by_problem(report)) {
    const Table table(report, std::move(rows), baseline, signs);
    text += (text.empty() ? "" : "\n") + table.heading() + "\n\n" + table.markdown();
    footnote = table.footnote();
  }
  return footnote.empty() ? text : text + "\n\\" + footnote + "\n";
}

std::string complaints(const Report& report, const Terminal& terminal) {
  const Signs signs(terminal.unicode);
  std::string text;
  for (const Row& row : report.rows) {
    if (!row.verdict.correct) {
      text += wrap(fmt::format("{} {}: {}", signs.wrong, title(row), row.verdict.complaint),
                   terminal.width, 2) +
              "\n";
      text += row.failure;
    }
    if (!row.traffic) continue;
    for (const ClaimCheck& check : row.traffic->promise) {
      if (!check.kept)
        text += wrap(fmt::format("{} {} broke its promise: {}", signs.wrong, title(row),
                                 runner::text(check)),
                     terminal.width, 2) +
                "\n";
    }
  }
  return text;
}

std::string details(const Report& report, const Terminal& terminal) {
  const Signs signs(terminal.unicode);
  std::string text;
  const auto add = [&](const std::string& line) { text += wrap(line, terminal.width, 4) + "\n"; };
  for (const Row& row : report.rows) {
    const double elements = static_cast<double>(row.problem.M) * static_cast<double>(row.problem.N);
    add(fmt::format(
        "{}: reals: {} of {:.0f} elements compared with an FP64 product, largest error {:.3g}, "
        "{:.3g} of the bound; {}",
        title(row), row.verdict.compared, elements, row.verdict.max_abs_error,
        row.verdict.error_over_bound,
        row.verdict.correct ? "small integers: every element exact" : "wrong"));
    if (row.traffic) {
      for (const ClaimCheck& check : row.traffic->promise) {
        add(fmt::format("  {} {}", check.kept ? signs.right : signs.wrong, runner::text(check)));
      }
    }
    if (row.timing) {
      const Timing& t = *row.timing;
      add(fmt::format("  {} samples of {} launches, {}", t.samples_ms.size(), t.launches_per_sample,
                      t.trusted()
                          ? "trusted"
                          : fmt::format("not to be trusted: {}", fmt::join(t.doubts, "; "))));
    }
  }
  return text;
}

}  // namespace runner
