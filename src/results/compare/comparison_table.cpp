#include "results/compare/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/tables/table_cells.hpp"
#include "results/tables/table_layout.hpp"
#include "results/values/metrics.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

constexpr Change ALL[] = {Change::wrong,  Change::slower, Change::changed,
                          Change::unsure, Change::faster, Change::same};

bool is_bad(Change verdict) {
  return verdict == Change::wrong || verdict == Change::slower || verdict == Change::changed;
}

Tone tone_of(Change verdict) {
  if (is_bad(verdict)) return Tone::bad;
  return verdict == Change::faster ? Tone::good : Tone::plain;
}

bool is_reference(const Result& r) { return r.seen.timing && r.seen.timing->is_reference; }

std::string name_of(const Identity& who) {
  return who.variant.empty() ? label(who) : label(who) + "/" + who.variant;
}

std::string subject_of(const Result& r, const text::Signs& signs) {
  if (r.problem) return size_text(*r.problem, signs);
  return sizes_of(r.who);
}

// Returns the rows of a comparison. Leaves out rows with equal counters unless `all`.
std::vector<const Result*> rows_of(const Run& run, bool all) {
  std::vector<const Result*> rows;
  for (const Result& r : run.results) {
    const bool shown = all || r.seen.timing || (r.compared && r.compared->verdict != Change::same);
    if (r.compared && shown) rows.push_back(&r);
  }
  return rows;
}

const Recorded NOTHING_RECORDED;

class ComparisonTable : public ResultTable {
 public:
  ComparisonTable(const Run& run, std::vector<const Result*> rows, const text::Signs& signs)
      : ResultTable(run, std::move(rows), NOTHING_RECORDED, signs) {
    add("", "kernel", Align::left, 0, [](const Result& r) { return name_of(r.who); });
    add("", "size", Align::left, 0, [this](const Result& r) { return subject_of(r, signs_); });
    if (is_timed()) {
      const auto quartile = [this](const std::optional<double>& percent) {
        return percent ? decimal(*percent, 1) : std::string(signs_.none);
      };
      add("% of reference", "before", Align::right, 2, [quartile](const Result& r) {
        const auto& base = r.compared->base_percent;
        return quartile(base ? std::optional((*base)[1]) : std::nullopt);
      });
      add("% of reference", "now", Align::right, 2, [quartile](const Result& r) {
        const auto of_cublas = value(r, "percent_of_cublas");
        return quartile(is_reference(r) ? std::nullopt
                        : of_cublas     ? of_cublas
                                        : value(r, "percent_of_copy"));
      });
      add("time", "before", Align::right, 6, [this](const Result& r) {
        return r.compared->base_ms ? time_text(*r.compared->base_ms, signs_) : signs_.none;
      });
      add("time", "now   ", Align::right, 6, [this](const Result& r) {
        const auto ms = value(r, "median_ms");
        return ms ? time_text(*ms, signs_) : signs_.none;
      });
      add("", "change", Align::right, 1, [this](const Result& r) {
        const auto& change = r.compared->change_percent;
        return change ? fmt::format("{:+.1f} %", *change) : std::string(signs_.none);
      });
    }
    column("", "verdict", Align::left, 0, [](const Result& r) -> Cell {
      if (is_reference(r)) return {"ref"};
      return {results::name_of(r.compared->verdict), tone_of(r.compared->verdict)};
    });
  }

  std::vector<std::string> heading() const override { return {heading_line({}, {})}; }
  std::vector<Note> notes(int) const override { return {}; }
  std::string footnote(bool, int) const override { return ""; }
};

// Returns "base.json of 2026-11-22, commit 603d8feb66".
std::string told(const ComparedWith& with) {
  std::string text = with.file;
  if (!with.date.empty()) text += " of " + with.date.substr(0, 10);
  if (with.commit) text += ", commit " + with.commit->substr(0, 10);
  return text;
}

// Returns "36 rows: 1 SLOWER, 35 SAME".
std::string summary(const Run& run) {
  const std::array<int, 6> counts = tally(run);
  int rows = 0;
  std::vector<std::string> parts;
  for (const Change verdict : ALL) {
    const int count = counts.at(static_cast<size_t>(verdict));
    rows += count;
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("{} {}: {}", rows, rows == 1 ? "row" : "rows", fmt::join(parts, ", "));
}

// "SLOWER 06_vector_float4 at 4096^3: why", or without the reason if there are several.
struct Explanation {
  std::string headline;
  std::vector<std::string> reasons;
  std::string failure;  // the machine's own message of a wrong row: several lines, or nothing
};

// Returns a line for each row that changed, the worst first.
std::vector<Explanation> explanations(const Run& run, const text::Signs& signs) {
  std::vector<Explanation> all;
  for (const Change verdict : ALL) {
    if (verdict == Change::same) continue;
    for (const Result& r : run.results) {
      if (!r.compared || r.compared->verdict != verdict) continue;
      const std::string subject = subject_of(r, signs);
      const std::vector<std::string>& reasons = r.compared->reasons;
      Explanation& e = all.emplace_back();
      e.headline = fmt::format("{} {}{}{}", name_of(verdict), name_of(r.who),
                               subject.empty() ? "" : " at ", subject);
      if (!r.judged.correct) e.failure = r.judged.failure;
      if (reasons.size() == 1 && reasons.front().find('\n') == std::string::npos) {
        e.headline += ": " + reasons.front();
      } else {
        e.reasons = reasons;
      }
    }
  }
  return all;
}

// Escapes a text for a GitHub message. A message's property needs further escapes.
std::string escaped(const std::string& text, bool in_property) {
  std::string safe;
  for (const char c : text) {
    const bool separates = in_property && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || separates) {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string comparison_text(const Run& run, bool all, const text::Page& page) {
  if (!run.compared_with) return "";
  const text::Signs signs(page.unicode);
  std::string text;
  const auto add = [&](const std::string& paragraph, int indent) {
    text += text::wrap(paragraph, page.width, indent) + "\n";
  };
  if (const std::vector<const Result*> rows = rows_of(run, all); !rows.empty()) {
    const ComparisonTable table(run, rows, signs);
    std::vector<std::string> left_out;
    for (const std::string& line : table.heading()) add(line, 2);
    text += table.text(page, left_out);
    if (!left_out.empty()) add(" " + text::not_shown(left_out), 3);
    text += "\n";
  }
  const std::vector<Explanation> explained = explanations(run, signs);
  for (const Explanation& e : explained) {
    add(e.headline, 2);
    for (const std::string& reason : e.reasons) {
      std::string indent = "  ";
      for (const std::string_view line : text::lines_of(reason)) {
        add(fmt::format("{}{}", indent, line), 4);
        indent = "    ";
      }
    }
    for (const std::string_view line : text::lines_of(e.failure)) add(std::string(line), 4);
  }
  if (!explained.empty()) text += "\n";
  add("compared with " + told(*run.compared_with), 2);
  for (const std::string& note : run.compared_with->notes) add("  " + note, 4);
  add(summary(run), 2);
  return text;
}

std::string comparison_markdown(const Run& run) {
  if (!run.compared_with) return "";
  const text::Signs signs(true);
  std::string text = fmt::format("**{}**\n\nagainst {}\n", summary(run),
                                 text::in_markdown(told(*run.compared_with)));
  for (const Explanation& e : explanations(run, signs)) {
    text += "\n- " + text::in_markdown(e.headline);
    for (std::string reason : e.reasons) {
      std::ranges::replace(reason, '\n', ' ');
      text += "\n  - " + text::in_markdown(reason);
    }
  }
  if (!text.ends_with('\n')) text += "\n";
  if (const std::vector<const Result*> rows = rows_of(run, false); !rows.empty())
    text += "\n" + ComparisonTable(run, rows, signs).markdown();
  if (run.compared_with->notes.empty()) return text;
  text += "\n<details><summary>Notes</summary>\n";
  for (const std::string& note : run.compared_with->notes) text += "\n- " + text::in_markdown(note);
  return text + "\n\n</details>\n";
}

std::string comparison_annotations(const Run& run,
                                   const std::function<std::string(const Identity&)>& source_of) {
  const text::Signs signs(true);
  std::string text;
  for (const Result& r : run.results) {
    if (!r.compared) continue;
    const Change verdict = r.compared->verdict;
    if (!is_bad(verdict) && verdict != Change::unsure) continue;
    const std::string file = source_of(r.who);
    const std::string subject = subject_of(r, signs);
    text +=
        fmt::format("::{} {}title={}::{}\n", is_bad(verdict) ? "error" : "warning",
                    file.empty() ? "" : fmt::format("file={},", escaped(file, true)),
                    escaped(fmt::format("{} {}", name_of(verdict), name_of(r.who)), true),
                    escaped(fmt::format("{}{}{}: {}", name_of(r.who), subject.empty() ? "" : " at ",
                                        subject, fmt::join(r.compared->reasons, "; ")),
                            false));
  }
  return text;
}

}  // namespace results
