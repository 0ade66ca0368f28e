#include "workshop/commands/next_steps.hpp"

#include <fmt/format.h>

namespace workshop {

int hints_of(const Exercise& exercise) {
  return static_cast<int>(exercise.hints().sections.size());
}

std::string command_for(const char* subcommand, const Exercise& exercise) {
  return fmt::format("./sgemm_runner {} {}", subcommand, exercise.number_or_name());
}

std::string hint_command(const Exercise& exercise, const Step* step) {
  const int count = hints_of(exercise);
  const int shown = step == nullptr ? 0 : step->hints_of_hole;
  const std::string command = command_for("hint", exercise);
  return shown >= count ? command : fmt::format("{}   (hint {} of {})", command, shown + 1, count);
}

}  // namespace workshop
