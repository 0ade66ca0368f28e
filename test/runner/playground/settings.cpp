// Prints settings of the playground with the simulated GPU's counts for them, as JSON: an array of
// ["stride=2&width=16", sectors, lines, bytes used, wavefronts, phases], or of ["...", null] if a GPU would abort. The
// page must count the same (test/plots/playground_browser_test.py).
#include "runner/playground/setting.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <vector>

namespace {

using runner::playground::Setting;

/// Returns every setting of `some` with every one of the values.
std::vector<Setting> each(const std::vector<Setting>& some, int Setting::* field,
                          const std::vector<int>& values) {
  std::vector<Setting> all;
  for (Setting setting : some) {
    for (const int value : values) {
      setting.*field = value;
      all.push_back(setting);
    }
  }
  return all;
}

std::vector<int> through(const runner::playground::Field& field) {
  std::vector<int> values;
  for (int value = field.least; value <= field.most; ++value) values.push_back(value);
  return values;
}

// Returns settings with all memories, actions, widths and mappings and a few values of the other fields. Each slider in
// turn takes all its values.
std::vector<Setting> settings() {
  std::vector<Setting> kinds{{}};
  for (int Setting::* field :
       {&Setting::memory, &Setting::action, &Setting::width, &Setting::mapping}) {
    for (const auto& one : runner::playground::fields()) {
      if (one.value == field) kinds = each(kinds, field, through(one));
    }
  }
  std::vector<Setting> all;
  for (const auto& slider : runner::playground::fields()) {
    if (!slider.choices.empty()) continue;
    const auto some = each(kinds, slider.value, through(slider));
    all.insert(all.end(), some.begin(), some.end());
  }
  std::vector<Setting> shapes = each(kinds, &Setting::operand, {0, 1, 2});
  shapes = each(shapes, &Setting::block_x, {2, 5, 16});
  shapes = each(shapes, &Setting::block_y, {3, 16});
  shapes = each(shapes, &Setting::columns, {4, 33, 128});
  shapes = each(shapes, &Setting::offset, {0, 4, 7});
  shapes = each(shapes, &Setting::tile, {8});
  all.insert(all.end(), shapes.begin(), shapes.end());
  return all;
}

}  // namespace

int main() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Setting& setting : settings()) {
    nlohmann::json row{address_of(setting)};
    if (const auto cost = cost_of(setting)) {
      row.insert(row.end(),
                 {cost->sectors, cost->lines, cost->bytes_used, cost->wavefronts, cost->phases});
    } else {
      row.push_back(nullptr);
    }
    rows.push_back(std::move(row));
  }
  std::cout << rows << '\n';
}
