#include "runner/playground/presets.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "runner/playground/parts.hpp"

namespace runner::playground {
namespace {

// Parses "- 2 load_sectors_per_request in stride=2".
Preset preset_from(const std::string& line, const Lesson& lesson) {
  std::istringstream words(line);
  std::string dash, name, address;
  Preset preset;
  std::string more;
  if (!(words >> dash >> name >> preset.counter >> preset.buffer >> address) || words >> more) {
    throw std::logic_error("a preset is its name, a counter, a buffer and a setting");
  }
  preset.name = lesson.name + "/" + name;
  preset.variant = name.substr(0, name.find('/'));
  if (preset.buffer == "-") preset.buffer.clear();
  preset.setting = setting_of(address);
  return preset;
}

void add_line(const std::string& line, std::vector<Lesson>& lessons) {
  std::istringstream words(line);
  std::string first, slider;
  words >> first >> slider;
  if (first.empty() || first.front() == '#') return;
  if (line.front() != ' ') {
    lessons.push_back({.name = first, .slider = slider});
  } else if (lessons.empty()) {
    throw std::logic_error("an exercise comes first, and its slider");
  } else if (first == "-") {
    lessons.back().presets.push_back(preset_from(line, lessons.back()));
  } else {
    std::string& task = lessons.back().task;
    task += (task.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
  }
}

}  // namespace

std::vector<Lesson> read_lessons(std::string_view list) {
  std::istringstream lines{std::string(list)};
  std::vector<Lesson> lessons;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      add_line(line, lessons);
    } catch (const std::logic_error& error) {
      throw std::logic_error(fmt::format("playground.txt:{}: {}", number, error.what()));
    }
  }
  return lessons;
}

const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> all = read_lessons(PRESETS);
  return all;
}

}  // namespace runner::playground
