#include "results/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "results/tables/acceptance_table.hpp"
#include "results/tables/distributed_table.hpp"
#include "results/tables/table_layout.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

// True if two results share a table: the same problem, or variants of one lab with the same sizes.
bool share_a_table(const Result& a, const Result& b) {
  if (a.who.set != b.who.set && is_of_a_lab(a) + is_of_a_lab(b) > 0) return false;
  if (is_of_a_lab(a)) return a.who.name == b.who.name && a.who.parameters == b.who.parameters;
  return a.problem == b.problem && (a.problem || a.who.set == b.who.set);
}

// Returns the run's tables, in the order of their first results.
std::vector<std::unique_ptr<ResultTable>> tables_of(const Run& run, const Recorded& recorded,
                                                    const text::Signs& signs) {
  std::vector<std::vector<const Result*>> groups;
  for (const Result& r : run.results) {
    const auto group = std::ranges::find_if(
        groups, [&r](const auto& rows) { return share_a_table(*rows.front(), r); });
    if (group == groups.end()) {
      groups.push_back({&r});
    } else {
      group->push_back(&r);
    }
  }
  std::vector<std::unique_ptr<ResultTable>> tables;
  tables.reserve(groups.size());
  for (auto& rows : groups) {
    const auto table_of = is_of_a_lab(*rows.front()) ? lab_table : ladder_table;
    tables.push_back(table_of(run, std::move(rows), recorded, signs));
  }
  return tables;
}

}  // namespace

std::string to_table(const Run& run, const Recorded& recorded, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  std::string footnote;
  std::vector<std::string> left_out;
  const auto add = [&](const std::string& paragraph, int indent) {
    text += text::wrap(paragraph, page.width, indent) + "\n";
  };
  const auto tables = tables_of(run, recorded, signs);
  for (const auto& table : tables) {
    if (!text.empty()) text += "\n";
    for (const std::string& line : table->heading()) add(line, 2);
    text += table->text(page, left_out);
    for (const Note& note : table->notes(page.width)) add(" " + note.text, note.indent);
    if (footnote.empty()) footnote = table->footnote(tables.size() == 1, page.width);
  }
  if (!left_out.empty()) add(" " + text::not_shown(left_out), 3);
  if (!footnote.empty()) add(" " + footnote, 3);
  if (!run.distributed.empty())
    text += (text.empty() ? "" : "\n") + to_table(run.distributed, page);
  if (!run.acceptance.empty()) text += (text.empty() ? "" : "\n") + to_table(run.acceptance, page);
  return text;
}

std::string to_markdown(const Run& run, const Recorded& recorded) {
  const text::Signs signs(true);
  std::string text;
  std::string footnote;
  const auto tables = tables_of(run, recorded, signs);
  for (const auto& table : tables) {
    if (!text.empty()) text += "\n";
    for (const std::string& line : table->heading()) text += text::in_markdown(line) + "\n\n";
    text += table->markdown();
    for (const Note& note : table->notes(0))  // in Markdown a star would begin a list
      text += (note.text.starts_with('*') ? "\n\\" : "\n") + text::in_markdown(note.text) + "\n";
    if (footnote.empty()) footnote = table->footnote(tables.size() == 1, 0);
  }
  if (!footnote.empty()) text += "\n\\" + text::in_markdown(footnote) + "\n";
  if (!run.distributed.empty()) text += (text.empty() ? "" : "\n") + to_markdown(run.distributed);
  if (!run.acceptance.empty()) text += (text.empty() ? "" : "\n") + to_markdown(run.acceptance);
  return text;
}

}  // namespace results
