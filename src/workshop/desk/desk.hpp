// The learner's desk: the folder, the progress, and which exercise is at hand. Every command begins here.
#pragma once

#include <string>

#include "workshop/course/exercise.hpp"
#include "workshop/course/own_files.hpp"
#include "workshop/desk/progress.hpp"

namespace workshop {

class Desk {
 public:
  /// Reads the progress of the folder: see own_progress().
  explicit Desk(const std::string& folder);

  const OwnFiles& files() const { return files_; }
  const Progress& progress() const { return progress_; }

  /// What is known of an exercise, to be changed; save() keeps it.
  Step& step(const Exercise& exercise) { return progress_.steps[exercise.name]; }
  void save() const { write_progress(files_.progress_path(), progress_); }
  /// Who the learner is, for a class.
  void name_learner(const std::string& name) { progress_.learner = name; }

  /// It is at hand from now on.
  void open(const Exercise& exercise);
  /// It is done, or put off, until it is opened again.
  void end(const Exercise& exercise);

  /// The exercise that a word names, or without one that which is at hand: the one opened last that was not ended since. Throws runner::Error(ExitCode::usage) where none is.
  const Exercise& exercise(const std::string& word) const;
  /// The same, and nullptr where none is at hand.
  const Exercise* at_hand() const;
  /// The first of the course, from the one opened or ended last on, that is neither solved nor skipped; then any that was
  /// passed over; nullptr if all are solved or skipped.
  const Exercise* next() const;

  /// The text of the learner's file: of a rung with the hole that is asked for (0: the step's own), cut anew; of a lab the
  /// sheet of its questions.
  std::string fresh_text(const Exercise& exercise, char hole) const;

 private:
  bool is_open(const Exercise& exercise) const;

  OwnFiles files_;
  Progress progress_;
};

}  // namespace workshop
