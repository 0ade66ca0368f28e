// `sgemm_runner learn quiz`: asks questions and judges each answer at once.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/error.hpp"
#include "text/page.hpp"
#include "workshop/quiz/quiz_questions.hpp"

namespace workshop {

struct QuizRequest {
  int questions = 30;
  std::optional<uint64_t> seed{};  // none: draw one and print it
};

/// The longest quiz. Some templates have few numbers to draw from.
inline constexpr int MOST_QUIZ_QUESTIONS = 200;

/// Asks on stdout, reads an answer a line from stdin, and prints the score. Returns `ok` for any score.
runner::ExitCode run(const QuizRequest& request);

/// True if an answer is right: a number ("8", "8 sectors", "12.5 %", "64/3") or the beginning of a choice. Nothing if
/// it cannot be understood.
std::optional<bool> is_right(const QuizQuestion& question, std::string_view answer);

struct QuizScore {
  int right = 0, wrong = 0, skipped = 0;
  std::vector<std::string> exercises_of_wrong{};  // one for each wrong answer
};

/// Asks until all questions are asked, the input ends or the reader types q. An empty line skips a question. After an
/// answer that cannot be understood it asks again. `echo`: print the answers, which a terminal shows by itself.
QuizScore ask(const std::vector<QuizQuestion>& questions, std::istream& answers,
              const std::function<void(std::string_view)>& say, bool echo, const text::Page& page);

}  // namespace workshop
