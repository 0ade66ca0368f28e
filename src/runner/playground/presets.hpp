// The playground's presets: accesses of the labs and of the rungs. exercises/playground.txt is the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/playground/setting.hpp"

namespace runner::playground {

struct Preset {
  std::string name{};     // the page's name for it: "copy_stride/2"
  std::string variant{};  // "2": the lab's variant; for a rung the access
  // The claim of the lab's variant, or of the rung, that states the setting's cost: "load_sectors_per_request" of "in".
  std::string counter{}, buffer{};
  Setting setting{};
};

/// The presets of a lab or a rung.
struct Lesson {
  std::string name{};    // "copy_stride": its folder in exercises/
  std::string slider{};  // the key of the field that the reader moves
  std::string task{};    // a task for the reader, in a sentence or two
  std::vector<Preset> presets{};
};

/// Reads a list of lessons. Throws std::logic_error, which names the wrong line.
std::vector<Lesson> read_lessons(std::string_view list);

/// Returns THE list, in the best order for taking the exercises.
const std::vector<Lesson>& lessons();

}  // namespace runner::playground
