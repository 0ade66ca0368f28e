// What a learner is told of an answer: one verdict, why, and one next step.
#pragma once

#include <optional>
#include <string>

#include "text/page.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/judge/outcome.hpp"

namespace workshop {

/// The holes that a wrong answer speaks of, from its line 'Hole: a, b': its code stands in the first, and its text is told at
/// all of them.
std::string holes_of(const Section& wrong_answer);

/// The first wrong answer of the file's hole that the outcome has the sign of. Nothing if the answer is right. Where nothing is
/// written yet, only wrong answers of which the same is true.
std::optional<Section> known_wrong_answer(const Exercise& exercise, const Outcome& outcome,
                                          const std::string& source);

struct Judged {
  const Exercise* exercise = nullptr;
  std::string file{};    // as the learner calls it
  std::string source{};  // what stands in it
  Outcome outcome{};
  std::optional<Section> known{};
  const Exercise* next = nullptr;  // what comes after this; nullptr if nothing does
  bool next_is_begun = false;
  bool verbose = false;
};

/// What comes after an exercise that is done: a line, which says so if it was begun before. nullptr where nothing does.
std::string next_step(const Exercise* next, bool is_begun);

/// Ends in a newline.
std::string verdict(const Judged& judged, const text::Page& page);

}  // namespace workshop
