#include "workshop/desk/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/error.hpp"
#include "results/values/date.hpp"
#include "runner/trial/provenance.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/predict/prediction_sheet.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {

using runner::Error;
using runner::ExitCode;

Desk::Desk(const std::string& folder)
    : files_(folder), progress_(own_progress(files_.progress_path())) {}

bool Desk::is_open(const Exercise& exercise) const {
  const State state = state_of(progress_.find(exercise.name));
  return state == State::untouched || state == State::begun;
}

void Desk::open(const Exercise& exercise) {
  Step& one = step(exercise);
  one.opening = progress_.next_place();
  if (one.opened.empty()) one.opened = results::utc_now();
  one.skipped.clear();
}

void Desk::end(const Exercise& exercise) { step(exercise).ending = progress_.next_place(); }

const Exercise* Desk::at_hand() const {
  const Exercise* last = nullptr;
  int place = 0;
  for (const Exercise& exercise : course()) {
    const Step* const step = progress_.find(exercise.name);
    if (step == nullptr || step->opening <= std::max(step->ending, place)) continue;
    last = &exercise;
    place = step->opening;
  }
  return last;
}

const Exercise& Desk::exercise(const std::string& word) const {
  if (!word.empty()) return find_exercise(word);
  if (const Exercise* const one = at_hand()) return *one;
  const Exercise* const one = next();
  const std::string nothing = "no exercise is at hand; say which by its number or name";
  if (one == nullptr) throw Error(ExitCode::usage, nothing);
  throw Error(ExitCode::usage, nothing + ", or './sgemm_runner learn " + one->number_or_name() +
                                   "' opens the next one");
}

const Exercise* Desk::next() const {
  // The search begins at the exercise that was opened or ended last, since a learner may begin in the middle of the course. It
  // does not lead a learner back to an exercise that was begun earlier.
  size_t from = 0;
  int place = 0;
  for (size_t i = 0; i < course().size(); ++i) {
    const Step* const step = progress_.find(course()[i].name);
    if (step == nullptr || std::max(step->opening, step->ending) < place) continue;
    place = std::max(step->opening, step->ending);
    from = i;
  }
  for (size_t i = 0; i < course().size(); ++i) {
    const Exercise& exercise = course()[(from + i) % course().size()];
    if (is_open(exercise)) return &exercise;
  }
  return nullptr;
}

void Desk::require_file(const Exercise& exercise) const {
  if (files_.exists(exercise)) return;
  throw Error(ExitCode::usage,
              fmt::format("there is no '{}' yet: './sgemm_runner learn {}' makes it",
                          as_typed(files_.path(exercise)), exercise.number_or_name()));
}

std::string Desk::fresh_text(const Exercise& exercise, char hole) const {
  if (!exercise.is_written()) {
    return new_sheet(read_lab_questions(exercise.lab(), exercise.folder));
  }
  const Step* const step = progress_.find(exercise.name);
  const std::vector<char> letters = exercise.letters();
  const char own = step != nullptr ? step->hole : 'a';
  // The exercise may have changed since and no longer have this hole.
  const bool is_known = std::ranges::find(letters, own) != letters.end();
  return cut(exercise, hole != 0 ? hole : is_known ? own : letters.front());
}

}  // namespace workshop
