// The learner's folder, progress and current exercise. Every command begins here.
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

  /// Returns the progress in one exercise, for changes. save() writes it.
  Step& step(const Exercise& exercise) { return progress_.steps[exercise.name]; }
  void save() const { write_progress(files_.progress_path(), progress_); }
  /// Sets the learner's name, for a class.
  void name_learner(const std::string& name) { progress_.learner = name; }

  /// Makes the exercise the current one.
  void open(const Exercise& exercise);
  /// Ends the exercise, which was solved or put off. open() makes it current again.
  void end(const Exercise& exercise);

  /// Returns the exercise with this name. An empty word means the current one: the last that was opened, unless it has ended.
  /// Throws runner::Error(ExitCode::usage) if there is none.
  const Exercise& exercise(const std::string& word) const;
  /// Returns the current exercise; nullptr if there is none.
  const Exercise* at_hand() const;
  /// Returns the next exercise that is neither solved nor skipped; nullptr if there is none. The current exercise comes
  /// first. The others follow in the course's order. The search begins at the exercise that was opened or ended last. After
  /// the end of the course it goes on at the first exercise.
  const Exercise* next() const;

  /// Throws runner::Error(ExitCode::usage), with the command that makes the file, if the learner has none for the exercise.
  void require_file(const Exercise& exercise) const;

  /// Returns a new text for the learner's file: a rung with this hole (0: the step's own), or the sheet of a lab's
  /// questions.
  std::string fresh_text(const Exercise& exercise, char hole) const;

 private:
  bool is_open(const Exercise& exercise) const;

  OwnFiles files_;
  Progress progress_;
};

}  // namespace workshop
