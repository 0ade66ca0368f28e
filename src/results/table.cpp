#include "results/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "results/metrics.hpp"

namespace results {
namespace {

enum class Align { left, right };
enum class Tone { plain, good, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

// Neighbours of the same group share a heading above their own. Where the page is narrow the columns with the
// highest rank go first; rank 0 stays.
struct Column {
  std::string group;
  std::string heading;
  Align align = Align::right;
  int rank = 0;
  std::function<Cell(size_t row)> cell;
  std::string spoken_name{};  // where it has no heading

  // "sectors/request A"; empty for a bar, which nobody misses by name.
  std::string name() const {
    if (!spoken_name.empty()) return spoken_name;
    return group.empty() || heading.empty() ? group + heading : group + " " + heading;
  }
};

std::string pad(const std::string& text, int width, Align align) {
  const std::string space(static_cast<size_t>(std::max(0, width - text::display_width(text))), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : without_trailing_space(text.substr(first));
}

constexpr double MOST_DIGITS = 1e12;  // what is beyond cannot be, and is written short

std::string decimal(double value, int precision) {
  return std::abs(value) < MOST_DIGITS ? fmt::format("{:.{}f}", value, precision)
                                       : fmt::format("{:.2e}", value);
}

// 3 significant digits, so that the decimal points of a column stand in line: "275   ", " 22.0 ".
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text + std::string(static_cast<size_t>(decimals == 0 ? 3 : 2 - decimals), ' ');
}

std::string time_text(double ms, const text::Signs& signs) {
  return ms < 0.9995 ? fmt::format("{} {}s", three_digits(ms * 1e3), signs.micro)
                     : fmt::format("{} ms", three_digits(ms));
}

std::string grouped(double value) {
  if (value >= MOST_DIGITS) return decimal(value, 0);
  std::string digits = fmt::format("{:.0f}", value);
  if (value < 99.5) return fmt::format("{:.1f}", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ' ');
  }
  return digits;
}

// 20 cells are 100 %; what is beyond 125 % is cut.
std::string bar(double percent, const text::Signs& signs) {
  static constexpr const char* EIGHTHS[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<int>(std::lround(std::clamp(percent, 0.0, 125.0) / 100 * 20 * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += signs.blocks ? "█" : "#";
  if (signs.blocks) text += EIGHTHS[eighths % 8];
  return text;
}

std::string factor_text(double factor, const text::Signs& signs) {
  return fmt::format("{:.{}f}{}", factor, factor >= 2 ? 1 : 2, signs.times);
}

std::string size_text(const Problem& p, const text::Signs& signs) {
  if (p.is_square()) return fmt::format("{}{}", p.M, signs.cube);
  return fmt::format("{}{}{}{}{}", p.M, signs.times, p.N, signs.times, p.K);
}

bool is_reference(const Result& r) { return r.who.set == "sgemm" && r.who.number == 0; }

// What a step is counted from: "1", or the name of what has no number.
std::string short_name(const Identity& who) {
  return who.number ? std::to_string(*who.number) : who.name;
}

// The recorded result that may stand in for what this one was not timed for.
const Result* recorded_figure(const Run& recorded, const std::string& name) {
  static const Problem size = dense_problem(RECORDED_SIZE, RECORDED_SIZE, RECORDED_SIZE);
  for (const Result& r : recorded.results) {
    if (r.who.set != "sgemm" || r.who.name != name || !r.problem || !r.judged.correct) continue;
    Problem problem = *r.problem;
    problem.seed = size.seed;
    const bool warm = r.seen.timing && !r.seen.timing->options.cold;
    if (problem == size && warm && value(r, "percent_of_cublas")) return &r;
  }
  return nullptr;
}

class Table {
 public:
  Table(const Run& run, std::vector<const Result*> rows, const Run* recorded,
        const text::Signs& signs)
      : run_(run), rows_(std::move(rows)), recorded_(recorded), signs_(signs) {
    add("", "#", Align::right, 0, [](const Result& r) {
      return r.who.number ? std::to_string(*r.who.number) : std::string("+");
    });
    add("", "kernel", Align::left, 0, [](const Result& r) { return r.who.name; });
    column("", "correct", Align::left, 0, [this](const Result& r) { return correct(r); });
    if (any([](const Result& r) { return !r.path.empty(); })) {
      add("", "path", Align::left, 6,
          [this](const Result& r) { return r.path.empty() ? signs_.none : r.path; });
    }
    if (is_timed()) {
      add_timing();
    } else {
      add_traffic();
    }
    // Nothing to say in any row, and no heading: nobody misses it.
    std::erase_if(columns_,
                  [this](const Column& c) { return c.heading.empty() && width_of(c) == 0; });
  }

  std::string heading() const {
    std::vector<std::string> parts;
    if (is_timed()) {
      parts = {run_.from.device, run_.from.device_detail};
    } else {
      parts = {"simulated GPU (no CUDA device)"};
    }
    const std::optional<Problem>& p = rows_.front()->problem;
    if (p) parts.push_back(size_text(*p, signs_) + " FP32");
    if (!is_timed()) {
      parts.emplace_back("every block counted");
    } else if (const Result* timed = first_timed()) {
      parts.emplace_back(timed->seen.timing->options.cold ? "cold" : "warm");
      if (const auto clock = value(*timed, "clock_mhz")) {
        parts.push_back(fmt::format("{:.2f} GHz{}", *clock / 1e3, all_trusted() ? " steady" : ""));
      }
    }
    if (p && (p->alpha != 1.0f || p->beta != 0.0f))
      parts.push_back(fmt::format("alpha {} beta {}", p->alpha, p->beta));
    if (p && !p->is_dense())
      parts.push_back(fmt::format("lda {} ldb {} ldc {}", p->lda, p->ldb, p->ldc));
    return fmt::format("{}", fmt::join(parts, fmt::format(" {} ", signs_.dot)));
  }

  // `alone`: no other table stands beside this one, so that the size can be named.
  std::string footnote(bool alone) const {
    for (const Result* row : rows_) {
      if (const Result* figure = starred(*row)) {
        return fmt::format("* measured on an {} on {} at {}; all else is counted here, at {}",
                           recorded_->from.device, figure->date.substr(0, 10),
                           size_text(*figure->problem, signs_),
                           alone ? size_text(*row->problem, signs_) : "the size over each table");
      }
    }
    return "";
  }

  // The names of the columns that the page has no room for are added to `left_out`.
  std::string text(const text::Page& page, std::vector<std::string>& left_out) const {
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

  std::string markdown() const {
    std::string text = "|";
    for (const Column& c : columns_)
      text += c.heading.empty() ? " |" : fmt::format(" {} |", trimmed(c.name()));
    text += "\n|";
    for (const Column& c : columns_) text += c.align == Align::left ? " --- |" : " ---: |";
    text += "\n";
    for (size_t i = 0; i < rows_.size(); ++i) {
      text += "|";
      for (const Column& c : columns_) {
        const std::string cell = trimmed(c.cell(i).text);
        text += cell.empty() ? " |" : fmt::format(" {} |", cell);
      }
      text += "\n";
    }
    return text;
  }

 private:
  bool is_timed() const { return run_.from.machine == Machine::cuda; }

  template <typename Condition>
  bool any(const Condition& condition) const {
    return std::ranges::any_of(rows_, [&](const Result* r) { return bool(condition(*r)); });
  }

  void column(std::string group, std::string heading, Align align, int rank,
              std::function<Cell(const Result&)> cell) {
    columns_.push_back({std::move(group), std::move(heading), align, rank,
                        [this, cell = std::move(cell)](size_t i) { return cell(*rows_[i]); }});
  }
  void add(std::string group, std::string heading, Align align, int rank,
           std::function<std::string(const Result&)> text) {
    column(std::move(group), std::move(heading), align, rank,
           [text = std::move(text)](const Result& r) { return Cell{text(r)}; });
  }
  // A figure of THE list, under its own heading; not shown where no row has it.
  void figure(const char* key, int rank, std::string_view buffer = {}) {
    const Metric& m = metric(key);
    const auto of = [this, &m, buffer](const Result& r) {
      return m.value(r, buffer, run_.from.roofs);
    };
    if (!any([&](const Result& r) { return of(r).has_value(); })) return;
    const std::string unit = m.unit;
    const std::string group = buffer.empty() ? "" : m.heading;
    add(group, buffer.empty() ? m.heading : std::string(buffer), Align::right, rank,
        [this, of, &m, unit](const Result& r) {
          const auto value = of(r);
          if (!value) return std::string(signs_.none);
          return decimal(*value, m.precision) + (unit.empty() ? "" : " " + unit);
        });
  }

  Cell correct(const Result& r) const {
    if (!r.judged.correct || !r.judged.contract.empty() || !r.seen.hazards.empty())
      return {signs_.wrong, Tone::bad};
    return {is_reference(r) ? "ref" : signs_.right, Tone::good};
  }

  void add_timing() {
    const auto of = [this](const char* key, const std::function<std::string(double)>& text) {
      return [this, key, text](const Result& r) {
        const auto figure = value(r, key);
        return figure ? text(*figure) : std::string(signs_.none);
      };
    };
    add("", "time   ", Align::right, 0,
        of("median_ms", [this](double ms) { return time_text(ms, signs_); }));
    figure("spread", 4);
    add("", "GFLOP/s", Align::right, 1, of("gflops", grouped));
    figure("percent_of_peak", 3);
    add("", "GB/s", Align::right, 9, of("gbytes_per_second", grouped));
    figure("percent_of_copy", 8);
    add_launch("registers",
               [](const Kernel& k) { return k.registers ? std::to_string(*k.registers) : ""; });
    add_launch("shared KiB", [](const Kernel& k) {
      return k.shared_bytes ? fmt::format("{:.4g}", static_cast<double>(*k.shared_bytes) / 1024)
                            : "";
    });
    add_launch("blocks/SM", [](const Kernel& k) {
      return k.blocks_per_multiprocessor ? std::to_string(*k.blocks_per_multiprocessor) : "";
    });
    figure("percent_of_cublas", 0);
    add("", "", Align::left, 7,
        [this](const Result& r) { return bar(value(r, "percent_of_cublas").value_or(0), signs_); });
    columns_.push_back({"", "", Align::left, 5, [this](size_t i) { return Cell{faster(i)}; },
                        "faster than the row above"});
  }

  // What each kernel of a launch takes of a multiprocessor: "254+40" for two.
  void add_launch(const char* heading, std::string (*cell_of)(const Kernel&)) {
    const auto all = [cell_of](const Result& r) {
      std::vector<std::string> parts;
      for (const Kernel& k : r.seen.kernels) {
        if (const std::string part = cell_of(k); !part.empty()) parts.push_back(part);
      }
      return fmt::format("{}", fmt::join(parts, "+"));
    };
    if (!any([&](const Result& r) { return !all(r).empty(); })) return;
    add("", heading, Align::right, 10, [this, all](const Result& r) {
      const std::string cell = all(r);
      return cell.empty() ? std::string(signs_.none) : cell;
    });
  }

  void add_traffic() {
    if (any([](const Result& r) { return !r.judged.claims.empty(); })) {
      column("", "promise", Align::left, 4, [this](const Result& r) { return promise(r); });
    }
    figure("load_sectors_per_request", 1, "A");
    figure("load_sectors_per_request", 1, "B");
    // A metric of its own under the same heading: C is written, not read.
    figure("store_sectors_per_request", 1, "C");
    const auto bytes_used = [](const Result& r) { return value(r, "bytes_used_over_fetched"); };
    if (any(bytes_used)) {
      add("", "bytes used", Align::right, 2, [this, bytes_used](const Result& r) {
        const auto share = bytes_used(r);
        return share ? fmt::format("{:.1f} %", *share * 100) : std::string(signs_.none);
      });
    }
    columns_.push_back({"", "", Align::left, 5, [this](size_t i) { return Cell{fewer(i)}; },
                        "sectors against the row above"});
    if (recorded_ == nullptr || !any([this](const Result& r) { return starred(r) != nullptr; }))
      return;
    const Problem size = dense_problem(RECORDED_SIZE, RECORDED_SIZE, RECORDED_SIZE);
    add(fmt::format("at {}", size_text(size, signs_)), "% cuBLAS *", Align::right, 0,
        [this](const Result& r) {
          const Result* figure = starred(r);
          return figure == nullptr ? signs_.none
                                   : fmt::format("{:.1f}", *value(*figure, "percent_of_cublas"));
        });
  }

  Cell promise(const Result& r) const {
    if (r.judged.claims.empty()) return {signs_.none};
    return r.judged.promise_kept() ? Cell{"kept", Tone::good} : Cell{"BROKEN", Tone::bad};
  }

  // An empty product has no per cent of anything.
  const Result* starred(const Result& r) const {
    if (recorded_ == nullptr || is_timed() || (r.problem && r.problem->is_empty())) return nullptr;
    return results::recorded_figure(*recorded_, r);
  }

  // How a figure relates to that of the row above, the reference not counted: above / here.
  std::optional<double> step(size_t i, const char* key) const {
    if (i == 0 || is_reference(*rows_[i - 1])) return std::nullopt;
    const auto above = value(*rows_[i - 1], key), here = value(*rows_[i], key);
    if (!above || !here || *above == 0 || *here == 0) return std::nullopt;
    return *above / *here;
  }

  // As far as two decimals show.
  static bool is_equal(double ratio) { return ratio > 0.995 && ratio < 1.005; }

  std::string faster(size_t i) const {
    const auto ratio = step(i, "median_ms");
    if (!ratio) return "";
    const std::string above = short_name(rows_[i - 1]->who);
    if (is_equal(*ratio)) return fmt::format("as fast as {}", above);
    return fmt::format("{} {} than {}", factor_text(*ratio >= 1 ? *ratio : 1 / *ratio, signs_),
                       *ratio >= 1 ? "faster" : "slower", above);
  }

  std::string fewer(size_t i) const {
    const auto ratio = step(i, "global_sectors");
    if (!ratio) return "";
    const std::string above = short_name(rows_[i - 1]->who);
    if (is_equal(*ratio)) return fmt::format("as many sectors as {}", above);
    return fmt::format("{} {} sectors than {}",
                       factor_text(*ratio >= 1 ? *ratio : 1 / *ratio, signs_),
                       *ratio >= 1 ? "fewer" : "more", above);
  }

  const Result* first_timed() const {
    const auto found =
        std::ranges::find_if(rows_, [](const Result* r) { return r->seen.timing.has_value(); });
    return found == rows_.end() ? nullptr : *found;
  }
  bool all_trusted() const {
    return std::ranges::all_of(rows_, [](const Result* r) { return r->judged.trusted(); });
  }

  int width_of(const Column& c) const {
    int width = text::display_width(c.heading);
    for (size_t i = 0; i < rows_.size(); ++i)
      width = std::max(width, text::display_width(c.cell(i).text));
    return width;
  }

  // The columns that fit into `width`, names shortened if even those of rank 0 do not.
  std::vector<Column> fitting(int width, std::vector<std::string>& left_out) const {
    std::vector<Column> columns = columns_;
    const auto total = [&] {
      int sum = 0;
      for (const Column& c : columns) sum += width_of(c) + 2;
      return sum;
    };
    while (width > 0 && total() - 1 > width) {
      const auto last = std::ranges::max_element(columns, std::ranges::less_equal{}, &Column::rank);
      if (last->rank == 0) break;
      const std::string name = trimmed(last->name());
      if (!name.empty() && std::ranges::find(left_out, name) == left_out.end())
        left_out.push_back(name);
      columns.erase(last);
    }
    const int excess = width > 0 ? total() - 1 - width : 0;
    if (excess > 0) shorten(columns[1], std::max(4, width_of(columns[1]) - excess));
    return columns;
  }

  void shorten(Column& column, int width) const {
    column.cell = [this, width, cell = column.cell](size_t i) {
      Cell whole = cell(i);
      if (text::display_width(whole.text) <= width) return whole;
      while (text::display_width(whole.text) > width - 1) whole.text.pop_back();
      whole.text += signs_.ellipsis;
      return whole;
    };
  }

  // The line of group headings: each over its columns, or where they are narrower beginning further left.
  std::string groups(const std::vector<Column>& columns) const {
    std::string text;
    int right = 0;  // end of the columns so far
    for (size_t i = 0; i < columns.size(); ++i) {
      right += width_of(columns[i]) + (i == 0 ? 1 : 2);
      const std::string& group = columns[i].group;
      const bool last_of_group = i + 1 == columns.size() || columns[i + 1].group != group;
      if (!group.empty() && last_of_group)
        text = pad(text, std::max(0, right - text::display_width(group)), Align::left) + group;
    }
    return text + "\n";
  }

  std::string line(const std::vector<Column>& columns, const text::Page& page,
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

  const Run& run_;
  std::vector<const Result*> rows_;
  const Run* recorded_;
  const text::Signs& signs_;
  std::vector<Column> columns_;
};

// Results about the same problem share a table, in the order in which the problems come.
std::vector<std::vector<const Result*>> by_problem(const Run& run) {
  std::vector<std::vector<const Result*>> groups;
  for (const Result& r : run.results) {
    const auto same = [&r](const auto& group) {
      const Result& first = *group.front();
      return first.problem == r.problem && (r.problem || first.who.set == r.who.set);
    };
    const auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) {
      groups.push_back({&r});
    } else {
      group->push_back(&r);
    }
  }
  return groups;
}

}  // namespace

bool has_recorded_figures(const Run& run) {
  return std::ranges::any_of(
      run.results, [&](const Result& r) { return recorded_figure(run, r.who.name) != nullptr; });
}

const Result* recorded_figure(const Run& recorded, const Result& result) {
  const bool is_rung = result.who.set == "sgemm" && result.who.number && *result.who.number > 0;
  return is_rung ? recorded_figure(recorded, result.who.name) : nullptr;
}

std::string to_table(const Run& run, const Run* recorded, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  std::string footnote;
  std::vector<std::string> left_out;
  auto groups = by_problem(run);
  for (auto& rows : groups) {
    const Table table(run, std::move(rows), recorded, signs);
    text += (text.empty() ? "" : "\n") + text::wrap(table.heading(), page.width, 2) + "\n" +
            table.text(page, left_out);
    if (footnote.empty()) footnote = table.footnote(groups.size() == 1);
  }
  const auto add_below = [&](const std::string& note) {
    text += text::wrap(" " + note, page.width, 3) + "\n";
  };
  if (!left_out.empty()) {
    add_below(fmt::format("not shown at this width: {}; a wider terminal or --json has them",
                          fmt::join(left_out, ", ")));
  }
  if (!footnote.empty()) add_below(footnote);
  return text;
}

std::string to_markdown(const Run& run, const Run* recorded) {
  const text::Signs signs(true);
  std::string text;
  std::string footnote;
  auto groups = by_problem(run);
  for (auto& rows : groups) {
    const Table table(run, std::move(rows), recorded, signs);
    text += (text.empty() ? "" : "\n") + table.heading() + "\n\n" + table.markdown();
    if (footnote.empty()) footnote = table.footnote(groups.size() == 1);
  }
  return footnote.empty() ? text : text + "\n\\" + footnote + "\n";
}

}  // namespace results
