// `sgemm_runner learn quiz`: questions one after the other, each judged at once.
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
  std::optional<uint64_t> seed{};  // none: one that is drawn, and said
};

/// No quiz is longer: some templates have few numbers to draw.
inline constexpr int MOST_QUIZ_QUESTIONS = 200;

/// Asks on stdout, reads answers from stdin, a line each, and says the score at the end. `ok` however many were right.
runner::ExitCode run(const QuizRequest& request);

/// Whether an answer is the right one: a number ("8", "8 sectors", "12.5 %", "64/3") or the beginning of one of the choices.
/// Nothing where it cannot be understood.
std::optional<bool> is_right(const QuizQuestion& question, std::string_view answer);

struct QuizScore {
  int right = 0, wrong = 0, skipped = 0;
  std::vector<std::string> exercises_of_wrong{};  // that a wrong answer asks for, one for each
};

/// Asks until all are asked, the input ends or the reader says q. An empty line skips a question; what cannot be understood is
/// asked again. `echo`: repeat the answers, which a terminal shows by itself.
QuizScore ask(const std::vector<QuizQuestion>& questions, std::istream& answers,
              const std::function<void(std::string_view)>& say, bool echo, const text::Page& page);

}  // namespace workshop
