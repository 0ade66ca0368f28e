// Asks the quiz's questions and judges each answer at once.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"
#include "workshop/quiz/quiz_questions.hpp"

namespace workshop {

/// The longest quiz. Some templates have few numbers to draw from.
inline constexpr int MOST_QUIZ_QUESTIONS = 200;

/// True if an answer is right: a number ("8", "8 sectors", "12.5 %", "64/3") or the beginning of a choice. Nothing if
/// the answer cannot be understood.
std::optional<bool> is_right(const QuizQuestion& question, std::string_view answer);

struct QuizScore {
  int right = 0, wrong = 0, skipped = 0;
  std::vector<std::string> exercises_of_wrong{};  // one for each wrong answer
};

/// Asks until all questions are asked, the input ends or the reader types q. An empty line skips a question. After an
/// answer that cannot be understood it asks again. `echo`: print the answers, as a terminal does by itself.
QuizScore ask(const std::vector<QuizQuestion>& questions, std::istream& answers,
              const std::function<void(std::string_view)>& say, bool echo, const text::Page& page);

}  // namespace workshop
