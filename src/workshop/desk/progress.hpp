// How far a learner is: a small file beside the learner's own.
#pragma once

#include <map>
#include <string>

namespace workshop {

/// What is known of one exercise.
struct Step {
  std::string opened{};   // when first, as ISO 8601; empty for never
  std::string solved{};   // likewise: the first time that it was right
  std::string skipped{};  // likewise: put off
  std::string seen{};     // likewise: its solution was looked at before it was solved
  /// The place of its last opening, and of its last ending (right, or put off), in the order of all that was opened and
  /// ended; 0 for never. Clocks may stand still between the two.
  int opening = 0, ending = 0;
  int checks = 0;  // so often judged
  int hints = 0;   // so many of its hints were shown, those of all holes together
  char hole = 'a';
  int hints_of_hole = 0;  // so many of them at this hole

  /// From now on it is about this hole, whose hints begin with the first.
  void set_hole(char letter) {
    if (letter != hole) hints_of_hole = 0;
    hole = letter;
  }
  std::map<std::string, int> endings{};  // how often a check ended so
  std::map<std::string, int> known{};    // wrong answers that were known by name, and how often
  bool operator==(const Step&) const = default;
};

/// How an exercise stands; nullptr: nobody has touched it.
enum class State { untouched, begun, skipped, solved };
State state_of(const Step* step);

struct Progress {
  std::string learner{};                // who, for a class: the user's name
  std::map<std::string, Step> steps{};  // by the exercise's name
  bool operator==(const Progress&) const = default;

  /// The next place in the order of openings and endings.
  int next_place() const;
  const Step* find(const std::string& exercise) const;
  bool is_solved(const std::string& exercise) const;
  /// How many of the course's exercises are.
  size_t solved() const;
};

/// Reads a file. Throws runner::Error(ExitCode::usage), with the reason, where it is damaged. One that is not there is an
/// empty one.
Progress read_progress(const std::string& path);
std::string to_json(const Progress& progress);

/// Reads the learner's; a damaged one is moved to the backup and said so on stderr, and an empty one takes its place: what
/// was solved is found solved again by the next check of its file.
Progress own_progress(const std::string& path);
void write_progress(const std::string& path, const Progress& progress);

}  // namespace workshop
