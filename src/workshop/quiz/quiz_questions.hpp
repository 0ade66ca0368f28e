// The quiz's questions: templates with fresh numbers. The right answer is computed by the simulated GPU's counting
// rules (lens/prices.hpp) on the expression's addresses. No answer is stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workshop/course/exercise.hpp"

namespace workshop {

struct QuizQuestion {
  std::string of{};    // the template's name: "stride"
  std::string text{};  // with all numbers that the answer needs
  /// The words to choose from; empty if the answer is a number.
  std::vector<std::string> choices{};
  std::string answer{};    // "8", "21.33", "column"
  std::string why{};       // a line or two, with the rule
  std::string exercise{};  // the exercise about it, as on a command line
};

/// Returns the exercises that have questions, in the course's order.
std::vector<const Exercise*> quiz_exercises();

/// Returns the names of the templates about these exercises.
std::vector<std::string> quiz_templates(const std::vector<const Exercise*>& about);

/// Returns a question of one template. The same seed gives the same question on every machine.
QuizQuestion quiz_question(const std::string& of, uint64_t seed);

/// Returns `count` different questions about these exercises; fewer if their templates have no more numbers to draw. A
/// template is repeated only after each had its turn.
std::vector<QuizQuestion> quiz_questions(int count, uint64_t seed,
                                         const std::vector<const Exercise*>& about);

}  // namespace workshop
