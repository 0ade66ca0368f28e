// A learner's progress, in a small file beside the learner's answers.
#pragma once

#include <map>
#include <string>

namespace workshop {

/// The progress in one exercise.
struct Step {
  std::string opened{};   // the first opening, as ISO 8601; empty for never
  std::string solved{};   // the first right answer, likewise
  std::string skipped{};  // the first time it was put off, likewise
  std::string seen{};     // the first time its solution was shown before it was solved, likewise
  /// The numbers of its last opening and its last ending (solved or put off), counted over all exercises; 0 for never.
  /// They are counts and not times, because the clock may show the same time for an opening and an ending.
  int opening = 0, ending = 0;
  int checks = 0;  // number of checks
  int hints = 0;   // number of hints shown, over all holes
  char hole = 'a';
  int hints_of_hole = 0;  // number of hints shown at this hole

  /// Sets the hole. The hints of another hole begin with the first.
  void set_hole(char letter) {
    if (letter != hole) hints_of_hole = 0;
    hole = letter;
  }
  std::map<std::string, int> endings{};  // number of checks by their ending
  std::map<std::string, int> known{};    // number of checks by the known wrong answer
  bool operator==(const Step&) const = default;
};

/// The state of an exercise; nullptr stands for `untouched`.
enum class State { untouched, begun, skipped, solved };
State state_of(const Step* step);

struct Progress {
  std::string learner{};                // the learner's name, for a class: the user's name
  std::map<std::string, Step> steps{};  // by the exercise's name
  bool operator==(const Progress&) const = default;

  /// Returns the next number for an opening or ending.
  int next_place() const;
  const Step* find(const std::string& exercise) const;
  bool is_solved(const std::string& exercise) const;
  /// Returns the number of solved exercises of the course.
  size_t solved() const;
};

/// Reads a file. A missing file is empty progress. Throws runner::Error(ExitCode::usage), with the reason, if the file
/// is damaged.
Progress read_progress(const std::string& path);
std::string to_json(const Progress& progress);

/// Reads the learner's progress. A damaged file is moved to the backup, with a line on stderr, and progress begins
/// empty. The next check of a solved exercise finds it solved again.
Progress own_progress(const std::string& path);
void write_progress(const std::string& path, const Progress& progress);

}  // namespace workshop
