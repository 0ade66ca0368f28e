// The quiz's questions: templates that are filled with fresh numbers. What is right is worked out by the rules that the
// simulated GPU counts by (lens/prices.hpp), on the addresses that the expression gives. No answer is stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace workshop {

struct QuizQuestion {
  std::string of{};    // the template's name: "stride"
  std::string text{};  // names all that is needed
  /// The words to choose from; empty where the answer is a number.
  std::vector<std::string> choices{};
  std::string answer{};    // "8", "21.33", "column"
  std::string why{};       // a line or two, with the rule
  std::string exercise{};  // the one that is about it, as a word names it
};

/// The names of the templates.
std::vector<std::string> quiz_templates();

/// A question of one template; the same for the same seed on every machine.
QuizQuestion quiz_question(const std::string& of, uint64_t seed);

/// So many questions, no two the same, and no template again before all have had their turn.
std::vector<QuizQuestion> quiz_questions(int count, uint64_t seed);

}  // namespace workshop
