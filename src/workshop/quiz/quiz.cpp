#include "workshop/quiz/quiz.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "workshop/predict/lab_questions.hpp"

namespace workshop {
namespace {

using runner::ExitCode;

std::string in_small_letters(std::string_view text) {
  std::string small;
  for (const char c : text) {
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const size_t first = small.find_first_not_of(" \t\r");
  if (first == small.npos) return "";
  return small.substr(first, small.find_last_not_of(" \t\r") + 1 - first);
}

// Returns the number at the beginning of an answer: 8 of "8 sectors", 12.5 of "12.5%".
std::optional<double> number_in(const std::string& answer) {
  std::string first;
  std::istringstream(answer) >> first;
  while (!first.empty() && std::isdigit(static_cast<unsigned char>(first.back())) == 0) {
    first.pop_back();
  }
  return parse_figure(first);
}

std::string choices_text(const QuizQuestion& question) {
  return question.choices.empty() ? "" : fmt::format(" ({})", fmt::join(question.choices, ", "));
}

std::string wrapped(const std::string& text, const text::Page& page, int indent) {
  return text::wrap(text, page.width, indent) + "\n";
}

// Returns the next line; nothing at the end of the input, or after "q".
std::optional<std::string> next_answer(std::istream& answers,
                                       const std::function<void(std::string_view)>& say,
                                       bool echo) {
  say("> ");
  std::string line;
  const bool came = static_cast<bool>(std::getline(answers, line));
  line = in_small_letters(line);
  if (echo || !came) say(line + "\n");
  if (!came || line == "q" || line == "quit") return std::nullopt;
  return line;
}

std::string score_text(const QuizScore& score, size_t questions) {
  const int asked = score.right + score.wrong;
  std::string text = fmt::format("\n{} of {} right", score.right, asked);
  if (score.skipped > 0) text += fmt::format(", {} skipped", score.skipped);
  const auto left = static_cast<int>(questions) - asked - score.skipped;
  if (left > 0) text += fmt::format(", {} not asked", left);
  text += ".\n";
  std::map<std::string, int> exercises;
  for (const std::string& exercise : score.exercises_of_wrong) ++exercises[exercise];
  for (const auto& [exercise, count] : exercises) {
    text += fmt::format("{} wrong: ./sgemm_runner learn {}\n", count, exercise);
  }
  return text;
}

}  // namespace

std::optional<bool> is_right(const QuizQuestion& question, std::string_view answer) {
  const std::string given = in_small_letters(answer);
  if (!question.choices.empty()) {
    std::vector<std::string> meant;
    std::ranges::copy_if(
        question.choices, std::back_inserter(meant),
        [&](const std::string& choice) { return !given.empty() && choice.starts_with(given); });
    if (meant.size() != 1) return std::nullopt;
    return meant.front() == question.answer;
  }
  const std::optional<double> number = number_in(given);
  if (!number) return std::nullopt;
  const double wanted = *parse_figure(question.answer);
  // A count is a whole number, so a near number is wrong.
  const bool is_whole = question.answer.find('.') == std::string::npos;
  return is_whole ? *number == wanted : is_close(*number, wanted);
}

QuizScore ask(const std::vector<QuizQuestion>& questions, std::istream& answers,
              const std::function<void(std::string_view)>& say, bool echo, const text::Page& page) {
  QuizScore score;
  for (size_t i = 0; i < questions.size(); ++i) {
    const QuizQuestion& question = questions[i];
    const std::string number = fmt::format("{}. ", i + 1);
    say("\n" + wrapped(number + question.text + choices_text(question), page,
                       static_cast<int>(number.size())));
    std::optional<bool> right;
    while (!right) {
      const std::optional<std::string> answer = next_answer(answers, say, echo);
      if (!answer) return score;
      if (answer->empty()) break;
      right = is_right(question, *answer);
      if (right) continue;
      say(question.choices.empty() ? "A number, please (Enter skips, q ends).\n"
                                   : fmt::format("One of {}, please (Enter skips, q ends).\n",
                                                 fmt::join(question.choices, ", ")));
    }
    if (!right) {
      ++score.skipped;
      say(wrapped(fmt::format("It is {}. {}", question.answer, question.why), page, 0));
    } else if (*right) {
      ++score.right;
      say(wrapped(fmt::format("Right. {}", question.why), page, 0));
    } else {
      ++score.wrong;
      score.exercises_of_wrong.push_back(question.exercise);
      say(wrapped(fmt::format("No, it is {}. {}", question.answer, question.why), page, 0));
    }
  }
  return score;
}

ExitCode run(const QuizRequest& request) {
  if (request.questions < 1 || request.questions > MOST_QUIZ_QUESTIONS) {
    throw runner::Error(ExitCode::usage, fmt::format("--questions {} should be from 1 to {}",
                                                     request.questions, MOST_QUIZ_QUESTIONS));
  }
  runner::catch_signals();
  const uint64_t seed = request.seed ? *request.seed : std::random_device{}() % 100000;
  const std::vector<QuizQuestion> questions = quiz_questions(request.questions, seed);
  const auto say = [](std::string_view text) { runner::write_stdout(text); };
  const text::Page page = runner::stdout_page(runner::When::automatic);
  const std::string again =
      fmt::format("./sgemm_runner learn quiz --questions {} --seed {}", request.questions, seed);
  say(fmt::format(
      "{} questions; each is judged at once. Enter skips one, q ends. The same again:\n  {}\n",
      request.questions, again));
  const QuizScore score = ask(questions, std::cin, say, isatty(STDIN_FILENO) == 0, page);
  say(score_text(score, questions.size()));
  return runner::interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace workshop
