// The text for a learner about an answer: one verdict, the reason, and one next step.
#pragma once

#include <optional>
#include <string>

#include "text/page.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/judge/outcome.hpp"

namespace workshop {

/// Returns the holes of a wrong answer, from its line 'Hole: a, b'. Its code belongs to the first hole, and its text to
/// all of them.
std::string holes_of(const Section& wrong_answer);

/// Returns the first wrong answer of the file's hole whose sign matches the outcome. Nothing if the answer is right.
/// For an unwritten hole, only unwritten wrong answers match.
std::optional<Section> known_wrong_answer(const Exercise& exercise, const Outcome& outcome,
                                          const std::string& source);

struct Judged {
  const Exercise* exercise = nullptr;
  std::string file{};    // the learner's name for it
  std::string source{};  // its text
  Outcome outcome{};
  std::optional<Section> known{};
  const Exercise* next = nullptr;  // the next exercise; nullptr if there is none
  bool next_is_begun = false;
  bool verbose = false;
};

/// The title of the section that is asked after an exercise.
inline constexpr const char* QUESTION_AFTER = "A question after";

/// Returns the question after a lab, and the command that shows its answers. `learn` does not show that question,
/// because it gives the predictions away.
std::string after_a_lab(const Exercise& lab, const text::Page& page);

/// Returns the line with the next exercise, and says if it was begun before. nullptr: the course is done.
std::string next_step(const Exercise* next, bool is_begun);

/// Returns the verdict's text. It ends in a newline.
std::string verdict(const Judged& judged, const text::Page& page);

}  // namespace workshop
