// The lines below a command's text that name the next step in an exercise.
#pragma once

#include <string>

#include "workshop/course/exercise.hpp"
#include "workshop/desk/progress.hpp"

namespace workshop {

/// Returns the number of hints that the exercise has.
int hints_of(const Exercise& exercise);

/// Returns the command of a subcommand for an exercise: "./sgemm_runner check 2".
std::string command_for(const char* subcommand, const Exercise& exercise);

/// Returns the command for the next hint, and the hint's number: "./sgemm_runner hint 2   (hint 1 of 3)". After the last
/// hint it has no number. `step` is the progress in the exercise; nullptr: none.
std::string hint_command(const Exercise& exercise, const Step* step);

}  // namespace workshop
