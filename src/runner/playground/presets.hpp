// The playground's presets: accesses of the labs and of the rungs. exercises/playground.txt is the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/playground/setting.hpp"

namespace runner::playground {

struct Preset {
  std::string name{};     // as the page calls it: "copy_stride/2"
  std::string variant{};  // "2"; a lab's, or of a rung what is accessed
  // The claim of the lab's variant, or of the rung, that the setting's cost is: "load_sectors_per_request" of "in".
  std::string counter{}, buffer{};
  Setting setting{};
};

/// The presets of a lab or a rung.
struct Lesson {
  std::string name{};    // "copy_stride": its folder in exercises/
  std::string slider{};  // the key of the field that it is about
  std::string task{};    // what to try, in a sentence or two
  std::vector<Preset> presets{};
};

/// Reads a list of them. Throws std::logic_error, which names the line, where it is none.
std::vector<Lesson> read_lessons(std::string_view list);

/// THE list, in the order in which the exercises are best taken.
const std::vector<Lesson>& lessons();

}  // namespace runner::playground
