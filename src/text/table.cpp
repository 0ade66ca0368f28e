#include "text/table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "text/foreign.hpp"

namespace text {
namespace {

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

Table::Table(std::vector<Column> those, const Page& page)
    : columns(std::move(those)), page_(page), signs_(page.unicode) {
  for (Column& c : columns) c.width = std::max(c.width, display_width(c.heading));
}

void Table::make_room_for(const Row& row) {
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i].width = std::max(columns[i].width, display_width(row[i].text));
}

std::vector<size_t> Table::shown() const {
  std::vector<size_t> places;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_shown) places.push_back(i);
  }
  return places;
}

// Returns the widths of the shown columns. A group's heading may begin left of its columns, unless another heading is there.
std::vector<int> Table::widths() const {
  const std::vector<size_t> places = shown();
  std::vector<int> widths;
  for (const size_t i : places) widths.push_back(columns[i].width);
  for (size_t first = 0, end = 0; first < places.size(); first = end) {
    const std::string& group = columns[places[first]].group;
    int width = -columns[places[first]].gap;
    for (; end < places.size() && columns[places[end]].group == group; ++end)
      width += columns[places[end]].gap + widths[end];
    const bool behind_another = first > 0 && !columns[places[first - 1]].group.empty();
    if (behind_another) widths[first] += std::max(0, display_width(group) - width);
  }
  return widths;
}

int Table::width() const {
  const std::vector<int> of_each = widths();
  int sum = std::accumulate(of_each.begin(), of_each.end(), 0);
  for (const size_t i : shown()) sum += columns[i].gap;
  return sum;
}

bool Table::leave_one_out(std::vector<std::string>* left_out) {
  Column* last = nullptr;
  for (Column& c : columns) {
    if (c.is_shown && c.rank > 0 && (last == nullptr || c.rank >= last->rank)) last = &c;
  }
  if (last == nullptr) return false;
  last->is_shown = false;
  if (left_out == nullptr || last->is_told_below) return true;
  const std::string name = trimmed(last->name());
  if (!name.empty() && std::ranges::find(*left_out, name) == left_out->end())
    left_out->push_back(name);
  return true;
}

void Table::fit(size_t name, std::vector<std::string>& left_out) {
  if (page_.width <= 0) return;
  while (width() > page_.width && leave_one_out(&left_out)) {
  }
  const int excess = width() - page_.width;
  if (excess <= 0) return;
  Column& cut = columns[name];
  cut.cut = std::max(4, cut.width - excess);
  cut.width = std::max(cut.cut, display_width(cut.heading));
}

// Ends each group's heading where its columns end. A heading wider than its columns begins further left.
std::string Table::groups() const {
  const std::vector<size_t> places = shown();
  const std::vector<int> of_each = widths();
  std::string text;
  int right = 0;  // end of the columns so far
  for (size_t at = 0; at < places.size(); ++at) {
    right += columns[places[at]].gap + of_each[at];
    const std::string& group = columns[places[at]].group;
    const bool is_last = at + 1 == places.size() || columns[places[at + 1]].group != group;
    if (group.empty() || !is_last) continue;
    text = pad_right(text, right - display_width(group)) + group;
  }
  return text + "\n";
}

std::string Table::headings() const {
  Row row;
  for (const Column& c : columns) row.push_back({c.heading});
  const bool has_groups =
      std::ranges::any_of(columns, [](const Column& c) { return c.is_shown && !c.group.empty(); });
  return (has_groups ? groups() : "") + line(row, false);
}

std::string Table::line(const Row& row) const { return line(row, true); }

std::string Table::line(const Row& row, bool is_cut) const {
  const std::vector<int> of_each = widths();
  std::string text;
  size_t at = 0;
  for (const size_t i : shown()) {
    const Column& c = columns[i];
    const int width = of_each[at++];
    const std::string cell =
        is_cut && c.cut > 0 ? shortened(row[i].text, c.cut, signs_.ellipsis) : row[i].text;
    const std::string padded =
        c.align == Align::left ? pad_right(cell, width) : pad_left(cell, width);
    const char* color = !page_.color                ? ""
                        : row[i].tone == Tone::good ? "\033[32m"
                        : row[i].tone == Tone::bad  ? "\033[31m"
                                                    : "";
    text += std::string(static_cast<size_t>(c.gap), ' ');
    text += *color ? color + padded + "\033[0m" : padded;
  }
  return without_trailing_space(text) + "\n";
}

std::string Table::markdown(const std::vector<Row>& rows) const {
  const auto cell = [](const std::string& text) {
    return text.empty() ? std::string(" |") : " " + in_markdown(text) + " |";
  };
  std::string text = "|";
  for (const Column& c : columns) text += cell(c.heading.empty() ? "" : trimmed(c.name()));
  text += "\n|";
  for (const Column& c : columns) text += c.align == Align::left ? " --- |" : " ---: |";
  text += "\n";
  for (const Row& row : rows) {
    text += "|";
    for (const Cell& one : row) text += cell(trimmed(one.text));
    text += "\n";
  }
  return text;
}

std::string not_shown(const std::vector<std::string>& left_out) {
  std::string names;
  for (const std::string& name : left_out) names += (names.empty() ? "" : ", ") + name;
  return "not shown at this width: " + names + "; a wider terminal or --json has them";
}

}  // namespace text
